/** What the samples sign: the bytes of a commit. */
export const signedPayload = Buffer.from(
  "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@example.org> 1 +0000\n" +
    "committer A <a@example.org> 1 +0000\n\nsigned\n",
);

/** A key as its file has it, its fingerprint as ssh-keygen shows it, and what `ssh-keygen -Y sign -n git` made with it. */
export interface SshSample {
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly signature: string;
}

/** Made with OpenSSH. */
export const sshSamples: readonly SshSample[] = [
  {
    publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEFY3P3hnz+NRDKwgUoeYhupHB3bxeMJ/1zOvuU590O2",
    fingerprint: "SHA256:678n5O7PLWcRlBQ1PTTuxCLfHedkbh2f//89U6xKjCw",
    signature: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgQVjc/eGfP41EMrCBSh5iG6kcHd
vF4wn/XM6+5Tn3Q7YAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5
AAAAQPqSBDRHRuiu1Cp1ijD9UlVnyC3tvBG9E3BZmpWMftt/f5L9YKKJ9w4JlphlysGR1l
30r+b2wV6O8alGP3PJ0Qk=
-----END SSH SIGNATURE-----
`,
  },
  {
    publicKey:
      "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDABGq4t7gsGgXadDM2+Bx3ON9ek3/vGZK/nqlTLj+LxcYRYILmIj00fHo/hZqAxut4n8+4bJZ7y9/4WHPMxaguOiKjvhQdMJvGQM0de291o0Ep26yLqT7w3nCBMn1BEG6VydOqp8kDw7xIExXf8iXCljDrviQT4CeAZcAqJtlnNR3XYfC6wXny5bmw0u6WdjaMcstKOJoDfIjvgm0lHVk51oBNl0bWB7UWDHjxR5Z6tuAdtyTe0UQw7QxlXJplMv3uq41j4jwb9/DKZt6I9QA//ie+8REjBHYA+hIjQ9lGaAwE5LcK4JgutbjcPU9XSMgXyzMuYkh48rJkg4IFxoZh",
    fingerprint: "SHA256:xOJRwDOOnhuzEOx8wDjIS8H9LVg/UMbOdQbvAKxOzzM",
    signature: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAARcAAAAHc3NoLXJzYQAAAAMBAAEAAAEBAMAEari3uCwaBdp0Mzb4HH
c4316Tf+8Zkr+eqVMuP4vFxhFgguYiPTR8ej+FmoDG63ifz7hslnvL3/hYc8zFqC46IqO+
FB0wm8ZAzR17b3WjQSnbrIupPvDecIEyfUEQbpXJ06qnyQPDvEgTFd/yJcKWMOu+JBPgJ4
BlwCom2Wc1Hddh8LrBefLlubDS7pZ2Noxyy0o4mgN8iO+CbSUdWTnWgE2XRtYHtRYMePFH
lnq24B23JN7RRDDtDGVcmmUy/e6rjWPiPBv38Mpm3oj1AD/+J77xESMEdgD6EiND2UZoDA
TktwrgmC61uNw9T1dIyBfLMy5iSHjysmSDggXGhmEAAAADZ2l0AAAAAAAAAAZzaGE1MTIA
AAEUAAAADHJzYS1zaGEyLTUxMgAAAQAq3chjsasf7ypt7F6Dq16X+RiKw6rI1Tb+5XNy0e
3s5m10Wmh8V4qY4RMraHfJATYmWCsIHlVWgZ9+cF0pLmNFuaG4XbWboGJQ9lArQNl2ITz0
0Kqk/lLZMj9IabSffzJVtK3J8KlHkLnjjQpRTdyTwaok3sr7l95VXCYw9RRweZTPTWlsho
xlrcw7RpjnTNI/6x6sr1e4Kcio2B5EmR13ncFIf9W/kkvy2rwYLC6eVsD4J5Nxko+pra/f
nSF+zRm1UOrd/OaklHvl3U0MnIkGeNTBqAdwyqmhZvH3WqzkwGQfB25jXktB8v/GyeFUz7
O/+AhelWYtct64cx1Suokt
-----END SSH SIGNATURE-----
`,
  },
  {
    publicKey:
      "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBCwJC9LGbA7kCJIFXp0tlHIxMv4IaRKIISM4E2O8rq0/DCLkbu2S5t/crbVKGG/GTIlVX4aHO2YMxTzLWeKKRVE=",
    fingerprint: "SHA256:U8Cfx8gn1m2ZyfjZp7RoiYkld7kyaKOiOALgy+dXfy8",
    signature: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAAGgAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAAhuaXN0cDI1NgAAAE
EELAkL0sZsDuQIkgVenS2UcjEy/ghpEoghIzgTY7yurT8MIuRu7ZLm39yttUoYb8ZMiVVf
hoc7ZgzFPMtZ4opFUQAAAANnaXQAAAAAAAAABnNoYTUxMgAAAGQAAAATZWNkc2Etc2hhMi
1uaXN0cDI1NgAAAEkAAAAhAOz8I3E7FpFVEpPFrWFtJU0GD1luxSAyoRD3Rx4uHJgxAAAA
IG6iBjR6523Ha54qtQ0xhTsE4iHNmz3351f2uqeZzbD4
-----END SSH SIGNATURE-----
`,
  },
  {
    publicKey:
      "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBMA3LkwgbSckS9VOc32lXQxQYF1g5j4lxXgeC15vl14NkwxDLVnw/Qbjw5aG9XAWWCuvgxkAGtQQFpOHQFIXkdOHSawwLUAQXz6oieS/U9tJ4P2aC28ZVrEDGgbPrInbQw==",
    fingerprint: "SHA256:YtNsaG9GjHY7AQT0YNDFfSyWgm7X4iajCKnoiXSWP4s",
    signature: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAAIgAAAATZWNkc2Etc2hhMi1uaXN0cDM4NAAAAAhuaXN0cDM4NAAAAG
EEwDcuTCBtJyRL1U5zfaVdDFBgXWDmPiXFeB4LXm+XXg2TDEMtWfD9BuPDlob1cBZYK6+D
GQAa1BAWk4dAUheR04dJrDAtQBBfPqiJ5L9T20ng/ZoLbxlWsQMaBs+sidtDAAAAA2dpdA
AAAAAAAAAGc2hhNTEyAAAAhAAAABNlY2RzYS1zaGEyLW5pc3RwMzg0AAAAaQAAADBX6tHD
piPYRZq2vE/ODGQU5kWFrsTmwPiv6xdKLnvQfFo6midABiAvXF9/xC3n9c4AAAAxAO0l+C
jSGJOvUPUcKKLVaPoOOFgEP5N0+VvcuUs7OPoRiCUN2JWDB62rLX02RYCs9Q==
-----END SSH SIGNATURE-----
`,
  },
  {
    publicKey:
      "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAH25jebMV6QL5suL+6rc4csOkc+BXybjEbNNcr789qOY53/mArsALKKiD/EtDQ8/byjKjhczenSD3pJH8ErduugBAB7WP5D1McWtElMIqqI4vcF4Rg9B/2spbMotHSnf1DzfzjabNV3ayFLH7fvTRDg0Vtjgs/+6wlDIkOsReoOdB/Fng==",
    fingerprint: "SHA256:CYIZ4TVu7IiiE/aGmpiDgaYzHnMIYYvWP4C4LWdOdFU",
    signature: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAAKwAAAATZWNkc2Etc2hhMi1uaXN0cDUyMQAAAAhuaXN0cDUyMQAAAI
UEAfbmN5sxXpAvmy4v7qtzhyw6Rz4FfJuMRs01yvvz2o5jnf+YCuwAsoqIP8S0NDz9vKMq
OFzN6dIPekkfwSt266AEAHtY/kPUxxa0SUwiqoji9wXhGD0H/aylsyi0dKd/UPN/ONps1X
drIUsft+9NEODRW2OCz/7rCUMiQ6xF6g50H8WeAAAAA2dpdAAAAAAAAAAGc2hhNTEyAAAA
pwAAABNlY2RzYS1zaGEyLW5pc3RwNTIxAAAAjAAAAEIBkoji9pmmOc0xGMQL/MMHaTsRbh
jdgzpHqzB9JNkVSJ5HFzx8Oe0a9NkN6vHifhhS8Sl20GH6+yS/WR4BxtL71g0AAABCAL1k
MEQjaR+6n/jOSBCpNa/o8sEAuktXfreeeQlajCXjF8UDwsig/lU/g3Wk9kla8NXUCdzc6v
PHE73d43tWpEFV
-----END SSH SIGNATURE-----
`,
  },
];

/** Made with GnuPG. */
export const gpgSample = {
  fingerprint: "1D87647DE05EE775C24028C835B36BE7F31E0AE7",
  signature: `-----BEGIN PGP SIGNATURE-----

iHUEABYIAB0WIQQdh2R94F7ndcJAKMg1s2vn8x4K5wUCawIhDwAKCRA1s2vn8x4K
5xklAP0dpOkzt3iAqziK0Ncoyfsu/hD9aaqaaI6QPR0/SEF2lAD/U0UclB9kQbrT
4FRxx4mzj/wwH6G4WTAlsahQe8esaAQ=
=UAgd
-----END PGP SIGNATURE-----
`,
};
