import { describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { addressKind, parseAddress } from "#core/guarded-client/address";
import { allowedHostProblem, parseAllowedHosts } from "#core/guarded-client/allowed-hosts";

const kindOf = (text: string) => {
  const address = parseAddress(text);
  return address === undefined ? undefined : addressKind(address);
};

describe("addressKind", () => {
  it.each([
    [
      "external",
      [
        "93.184.216.34",
        "2606:2800:220:1::1",
        "::ffff:93.184.216.34",
        "64:ff9b::5db8:d822",
        "2002:5db8:d822::1",
      ],
    ],
    ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd12::1", "fc00::1"]],
    [
      "private",
      ["::ffff:10.0.0.1", "::ffff:a00:1", "64:ff9b::a00:1", "2002:c0a8:101::1", "::ffff:0:192.168.0.1"],
    ],
    [
      "loopback",
      ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"],
    ],
    ["reserved", ["169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16"]],
    [
      "reserved",
      ["0.0.0.0", "0.1.2.3", "::", "100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.0.192"],
    ],
    [
      "reserved",
      ["fe80::1", "fe80::1%eth0", "ff02::1", "fec0::1", "2001:db8::1", "2001::1", "::7f00:1", "198.18.0.1"],
    ],
    ["reserved", ["::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:a9fe:a9fe::"]],
  ])("counts as %s: %s", (kind, addresses) => {
    expect(addresses.map((text) => [text, kindOf(text)])).toEqual(addresses.map((text) => [text, kind]));
  });

  it("takes host names and odd number forms for names, never for addresses", () => {
    expect(["localhost", "0x7f.1", "127.1", "2130706433", "0177.0.0.1", ""].map(kindOf)).toEqual(
      Array(6).fill(undefined),
    );
  });
});

describe("parseAllowedHosts", () => {
  const permits = (entries: string[], host: string, address: string) =>
    parseAllowedHosts("SOME_HOST_LIST", entries).permits(host, address);

  it("permits by kind of address", () => {
    expect(permits(["external"], "a.example", "93.184.216.34")).toBe(true);
    expect(permits(["external"], "a.example", "10.0.0.1")).toBe(false);
    expect(permits(["external"], "a.example", "169.254.169.254")).toBe(false);
    expect(permits(["external", "private"], "a.example", "10.0.0.1")).toBe(true);
    expect(permits(["private"], "a.example", "127.0.0.1")).toBe(false);
    expect(permits(["loopback"], "localhost", "::1")).toBe(true);
    expect(permits(["loopback"], "a.example", "93.184.216.34")).toBe(false);
    expect(permits([], "a.example", "93.184.216.34")).toBe(false);
  });

  it("permits networks and addresses, in whatever form the address comes", () => {
    expect(permits(["10.1.0.0/16"], "a.example", "10.1.2.3")).toBe(true);
    expect(permits(["10.1.0.0/16"], "a.example", "::ffff:10.1.2.3")).toBe(true);
    expect(permits(["10.1.0.0/16"], "a.example", "10.2.2.3")).toBe(false);
    expect(permits(["fd12::/16"], "a.example", "fd12::9")).toBe(true);
    expect(permits(["169.254.10.1"], "a.example", "169.254.10.1")).toBe(true);
    expect(permits(["10.1.0.0/16"], "a.example", "fd12::9")).toBe(false);
  });

  it("permits host names whatever they resolve to, wildcards included, whatever the case", () => {
    expect(permits(["*.Example.com"], "ci.EXAMPLE.com", "10.0.0.1")).toBe(true);
    expect(permits(["*.example.com"], "example.com", "10.0.0.1")).toBe(false);
    expect(permits(["*.example.com"], "a.example.com.evil.test", "10.0.0.1")).toBe(false);
    expect(permits(["ci.example.com"], "cixexample.com", "10.0.0.1")).toBe(false);
    expect(permits(["192.168.100.*"], "192.168.100.7", "192.168.100.7")).toBe(true);
    expect(permits(["*"], "metadata.internal", "169.254.169.254")).toBe(true);
  });

  it("names the setting and the word that would permit the address", () => {
    const allowed = parseAllowedHosts("SOME_HOST_LIST", ["external"]);
    expect(allowed.refusal("127.0.0.1", ["127.0.0.1"])).toBe(
      "127.0.0.1 is a loopback address, which SOME_HOST_LIST does not permit; to permit it, add loopback to SOME_HOST_LIST",
    );
  });

  it("doesn't tell users where a name leads in the operator's network", () => {
    const allowed = parseAllowedHosts("SOME_HOST_LIST", ["external"]);
    expect(allowed.refusal("ci.internal", ["10.0.0.9"])).toBe(
      "ci.internal has no address that SOME_HOST_LIST permits; to permit it, add its name to SOME_HOST_LIST",
    );
  });

  it("stops the start when WEBHOOK_ALLOWED_HOST_LIST holds an entry that can't be meant", () => {
    const read = (value: string) => readConfig({ WEBHOOK_ALLOWED_HOST_LIST: value }).webhookAllowedHostList;
    expect(read("external, 10.0.0.0/8,*.lan")).toEqual(["external", "10.0.0.0/8", "*.lan"]);
    expect(() => read("external,10.0.0.0/99")).toThrow(
      /WEBHOOK_ALLOWED_HOST_LIST: 10\.0\.0\.0\/99 is not a network/,
    );
  });

  it("finds the entry that can't be meant", () => {
    expect(allowedHostProblem("10.0.0.0/99")).toContain("10.0.0.0/99 is not a network");
    expect(allowedHostProblem("two words")).toContain("neither");
    expect(["external", "*", "*.a.example", "10.0.0.0/8", "fd00::/8"].map(allowedHostProblem)).toEqual(
      Array(5).fill(undefined),
    );
  });
});
