import { describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { clientAddressOf } from "#functions/http/client-address";

const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });
const headers = new Headers({ "x-forwarded-for": "198.51.100.66, 203.0.113.9, 10.0.0.2" });

describe("the address of a caller", () => {
  it("is the one that connected: X-Forwarded-For is anybody's to write", () => {
    expect(clientAddressOf(from("192.0.2.7"), headers, readConfig({}))).toBe("192.0.2.7");
    expect(clientAddressOf(undefined, headers, readConfig({}))).toBe("");
  });

  it("TRUSTED_PROXIES: is the last one that is none of theirs", () => {
    const config = readConfig({ TRUSTED_PROXIES: "192.0.2.7, 10.0.0.0/8" });
    expect(clientAddressOf(from("192.0.2.7"), headers, config)).toBe("203.0.113.9");
    expect(clientAddressOf(from("::ffff:192.0.2.7"), headers, config)).toBe("203.0.113.9");
    expect(clientAddressOf(from("192.0.2.8"), headers, config)).toBe("192.0.2.8");
    expect(clientAddressOf(from("192.0.2.7"), new Headers(), config)).toBe("192.0.2.7");
  });

  it("is what the edge or the gateway says", () => {
    const event = { requestContext: { http: { sourceIp: "192.0.2.9" } } };
    expect(clientAddressOf({ event }, headers, readConfig({}))).toBe("192.0.2.9");
    expect(clientAddressOf({ event, clientAddress: "192.0.2.10" }, headers, readConfig({}))).toBe(
      "192.0.2.10",
    );
  });
});
