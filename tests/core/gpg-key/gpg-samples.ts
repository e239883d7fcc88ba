/** A key as `gpg --export` wrote it, and its signature of the commit in the samples of `tests/git/format`. */
export interface GpgSample {
  readonly armoredKey: string;
  readonly signature: string;
}

/** One that certifies alone, with subkeys that sign and encrypt, and two addresses; made with GnuPG. */
export const aliceSample: GpgSample = {
  armoredKey: `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawJK9hYJKwYBBAHaRw8BAQdAwEhMzxN+85ICS7eAdTg4mATtgSuGHTwPExT/
dr8A02m0IEFsaWNlIFNpZ25lciA8YWxpY2VAZXhhbXBsZS5jb20+iJAEExYIADgW
IQTLw41dIQ0MXT0i4E+UiYk+TCZiKwUCawJK9gIbAQULCQgHAgYVCgkICwIEFgID
AQIeAQIXgAAKCRCUiYk+TCZiK//ZAQD4gyql+x6aXk9h/TSOH3NYWNT6WBigbjVa
vsv5HZ4UUgEAxQN45qa+KDVa2emJ+6S0ZX7yoYjF8tBMmVRYxHw/iA+0GkFsaWNl
IDxzZWNvbmRAZXhhbXBsZS5jb20+iJAEExYIADgWIQTLw41dIQ0MXT0i4E+UiYk+
TCZiKwUCawJK9wIbAQULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRCUiYk+TCZi
K+pcAP9GiVVkm5EPlYl9cjKPloHJWNZxvbg9B9/cGyqHcQxcNQD/S4E+z4S7cF10
8hob1wT4xmZwGYB6UI7fbMnuAFffagm4MwRrAkr3FgkrBgEEAdpHDwEBB0AmfGVS
7gY3GF2F5oYvAKYaac4upK9WsK9yx9/fj1O8ZojvBBgWCAAgFiEEy8ONXSENDF09
IuBPlImJPkwmYisFAmsCSvcCGwIAgQkQlImJPkwmYit2IAQZFggAHRYhBCRyKTdA
3gx0rCVky2XCY6kj2bDPBQJrAkr3AAoJEGXCY6kj2bDPfoEA/jTq40M47VZXhpuA
2Uyg2TZDc7aZmxSWT9yoPqEa+M4HAPwMQMLnBWKk/PdalZN6POxIjPESuCSRCCfk
d20kFTgnC+8NAQDzwyhkDPeiYpdTy4zC0lG8+kJqkeDwc6/PgcTlRMoNbAEA/y9T
9ccrjttPeeuawKmoNDNORwSGeTa9fybzpL16BAm4OARrAkr3EgorBgEEAZdVAQUB
AQdA5Tu/frNzCUehhNX0Au3aOfgHT791NTCAjOaBtgucEk0DAQgHiH4EGBYIACYW
IQTLw41dIQ0MXT0i4E+UiYk+TCZiKwUCawJK9wIbDAUJA8JnAAAKCRCUiYk+TCZi
KzAGAP9EM30MWezYELtJ0xWpbXuCkedNFHdgwmiBTivxSxpdmgD/fSj341wxYnGX
+b567PxejJ8+vgxHWYZdqctklS5yaQg=
=g4Hk
-----END PGP PUBLIC KEY BLOCK-----
`,
  signature: `-----BEGIN PGP SIGNATURE-----

iIgEABYIADAWIQQkcik3QN4MdKwlZMtlwmOpI9mwzwUCawJN0BIcYWxpY2VAZXhh
bXBsZS5jb20ACgkQZcJjqSPZsM9S8gEA7okw+wkNnnDktDCei968eZ7hV+I0qAEE
fYnkSThm6xgBAL2KkoddmDgzpo6vshig1Bf2206Kh5VVnObTMa/Ix2gC
=w4ls
-----END PGP SIGNATURE-----
`,
};

/** An RSA key that signs itself, without subkeys; made with GnuPG. */
export const bobSample: GpgSample = {
  armoredKey: `-----BEGIN PGP PUBLIC KEY BLOCK-----

mQENBGsCSvgBCACyneCkALMEvBp/1nZQdghvT7ZcpGtMLVvlNZHk3REYCTWJVi35
oHmH2ELpOL0OlhVf9UOANrzc2GiJjhBB4EmxgK2PLykVC+j5EW+vZFAvfOjg75zH
1t45iIAch2f2AirNrAnpB+mhl1gS50Gl/41iZ39CVtvmczGDPAGzRTipazgdEc5Z
zuDv0NStfJF2C8SnpO4eXHdTxF0Bhxm5AOWh5HHmQc5V0Px5d1Wou+DTluMtknnP
Zb2133HFMr6kq1M3vk5tCwQ6Iq5IixiNn6vrmCDts+4ikRcdeopEeiWwKpSEJRx4
G0RVCEPqjSYYvDj+RS5r76+7MzK7mauTlh+5ABEBAAG0FUJvYiA8Ym9iQGV4YW1w
bGUuY29tPokBTgQTAQoAOBYhBM2BzB/pa+1o//aEn3j3gjpLBdEqBQJrAkr4AhsD
BQsJCAcCBhUKCQgLAgQWAgMBAh4BAheAAAoJEHj3gjpLBdEqvowH/1UkbmR5hXq3
6LlxxRxJhnk0SNWUrgcRMYoQy2dEBsn/9Mdz33ULuCMyKDe4y7msdozlMp8K0vX6
XlM8p+Jtrci6ncfr/vvId2Qz9slwtF75LTvcv8n2mM+vYfsjY9dedFwmremLuA+n
HhZHLF6TYwiWwI+MhKDxtBihPA5z+pk6C8fx+MTUfZM2CAiq/tyzzh2mMeuFw2QH
zo97w635yeuPUZuOUgQDQ8jf+HlBpiwq1R3ya2HOTpisnLLn2bRHOFgbM77vLsC3
5Zizjc3nbuZpCod468jRMTJK1bEPF+kPbaERzcDMC98G7PEiyLrmzIXVucd6YYYw
PuGNyTrHfcc=
=LNf6
-----END PGP PUBLIC KEY BLOCK-----
`,
  signature: `-----BEGIN PGP SIGNATURE-----

iQFEBAABCgAuFiEEzYHMH+lr7Wj/9oSfePeCOksF0SoFAmsCTdAQHGJvYkBleGFt
cGxlLmNvbQAKCRB494I6SwXRKvvSB/4zD5zvGVdd8TVvLEwWJBB41xoqptpkNHY7
WjSw7dmlzaIsbVh2c+SA2TCWfQ1MZa22dtJN/S8VG/9BuqfUZyDmkLne4ddoa/KI
qPpMLhiUyWlWi1zZKwa/myHl0xwXIPu4oMJw9T+LZTiQMi1L5651BmsRl7cd0SCX
sb6EPxYasjaVXw1a+ShavPccD0nAhbD+c32SY7mJpUz2SOx3SeiKCqdkuIMe7Nsk
egT0+I09Oormwz+n2EGCpmXE73tHiJ6yHSeaXkV1afcGTGwkjjBno1Afs5rofapf
+pgy/7JOvMBXON/x6pSRoCyKUBI93P/brFKz17i0MQQGDdPWoJj5
=AQFu
-----END PGP SIGNATURE-----
`,
};
