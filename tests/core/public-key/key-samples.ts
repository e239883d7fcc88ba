/** Public keys as ssh-keygen wrote and named them; their private halves were thrown away. */
export const keySamples = [
  {
    line: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMiXj6RmGjm31LeIyFWV9UvR9W2QRNxth3t3GGjpXl9p",
    fingerprint: "SHA256:lF/fL0usaAF2/yyiYljQ8TQJxXGAdOIcemQ/d4ZmW/I",
  },
  {
    line:
      "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCNj1LeGNEPGHQImhIV1Bge6P8QOElX16mNHyMVX+LLvGUVHiZDMQE+0x7F" +
      "fdYQ7SIjA7wLyKvQ6aFTGVssIlM8UC9o+WefHlExRoCqbMqkMXzFrmNiF4H9T+aJba9wGkTggSUqDxEj/KVDPFH74ulbgRmM" +
      "GAjoPhvJbgw/BulfpRdeIc05dvQNoi3IRyvWbSFraR933El74MGz5pcDtmUKRW0OfMdAzEVQO8DytrqFU23nk8Y+eghaRVsB" +
      "nGJA9UJoMX0BbudcR9Cr+VCBDOoAdnAMP1XQL0Gj6udy2drygMxfW0ql4m+rvckHoFkxRiLdG3sgTDhOWOr5r7PdxSpH",
    fingerprint: "SHA256:TlQEON+NAZCjXeROY/P/xGnjG/uB1e0WvbiFdbc5iLo",
  },
  {
    line:
      "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBPSJGVN927hzJC9X80BYs63m" +
      "44CLffN7733LKRbkC8vtzWlRkui9O2Ry0ILEBv+SA/yuVh/cLqCWZ5trTzyLdpM=",
    fingerprint: "SHA256:R5QTshS7RFVq+dUKwG7/Hi7mEDnm0rPmoh+rR2Mbnuo",
  },
  {
    line:
      "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBGyWHTJ1ytsAGUV0eF1Gs88k" +
      "IVsnJ0Vvu36OYxpeT5QIXNSK4HgUEubmQgk66VM09/aGSpwaHnyZMXm0CgEjAVsc1EA5M0cSyJisnEZUFlwoJOFF3Cm201zX" +
      "+j5pGJzK0A==",
    fingerprint: "SHA256:DTyYNyD1rFBH5KhXlRVazFWLLEZlKW5ufZNZdOmDW6A",
  },
  {
    line:
      "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBABE3Zd8upShW4nxgDvp41Mh" +
      "7NlrF5deF2SiM47yAGbq7bUFhv0ICKtskzlcCPkY2HsKvCHdYvUhfguesozJ9yw1xwATSz/2N7RHErNZr/yg0LEXlGCKe+MC" +
      "Y1ouaP/QqaTqARjM2h+uxSEW0heO2njGYtwZ5uMJm7aTEObNRE4LsbjNjA==",
    fingerprint: "SHA256:TtJiKERqQiAWuv6Q4qmNbKMX8Ts4m5QiHiaZ65G8wgI",
  },
] as const;

/** The first, third and second of them in other forms. */
export const otherForms = {
  rfc4716: `---- BEGIN SSH2 PUBLIC KEY ----
Comment: "256-bit ED25519, of jo"
AAAAC3NzaC1lZDI1NTE5AAAAIMiXj6RmGjm31LeIyFWV9UvR9W2QRNxth3t3GGjpXl9p
---- END SSH2 PUBLIC KEY ----
`,
  pkcs8: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9IkZU33buHMkL1fzQFizrebjgIt9
83vvfcspFuQLy+3NaVGS6L07ZHLQgsQG/5ID/K5WH9wuoJZnm2tPPIt2kw==
-----END PUBLIC KEY-----
`,
  pkcs1: `-----BEGIN RSA PUBLIC KEY-----
MIIBCgKCAQEAjY9S3hjRDxh0CJoSFdQYHuj/EDhJV9epjR8jFV/iy7xlFR4mQzEB
PtMexX3WEO0iIwO8C8ir0OmhUxlbLCJTPFAvaPlnnx5RMUaAqmzKpDF8xa5jYheB
/U/miW2vcBpE4IElKg8RI/ylQzxR++LpW4EZjBgI6D4byW4MPwbpX6UXXiHNOXb0
DaItyEcr1m0ha2kfd9xJe+DBs+aXA7ZlCkVtDnzHQMxFUDvA8ra6hVNt55PGPnoI
WkVbAZxiQPVCaDF9AW7nXEfQq/lQgQzqAHZwDD9V0C9Bo+rnctna8oDMX1tKpeJv
q73JB6BZMUYi3Rt7IEw4Tljq+a+z3cUqRwIDAQAB
-----END RSA PUBLIC KEY-----
`,
};

/** An RSA key of 1024 bits. */
export const shortKey =
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDbyfaVArSd4AgxeCdi6mKmc9WFvssOvr7wcA6sAXchAsa6S1fQEdMGkoCC" +
  "OmiUQngIHacEADWhxNTFoLIumFx/dIhpvKJeDSyp/DkK4hFZkOHYNkbnCWe+ZaFM9mccuAy1cS+2TykuwYsfOb64DPEMYTU7" +
  "7ilYvHdt30wpsj3pVQ==";
