import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** A loopback address that can't be guessed beforehand. Only Linux answers on all of 127.0.0.0/8. */
export function chooseLoopbackHost(): string {
  const part = () => randomInt(1, 255);
  return process.platform === "linux" ? `127.${part()}.${part()}.${part()}` : "127.0.0.1";
}

/** A loopback address and a port that is free there, for a program that can't choose its own. */
export async function chooseLoopback(): Promise<{ host: string; port: number }> {
  const host = chooseLoopbackHost();
  const server = createServer();
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(0, host, done);
  });
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return { host, port: address.port };
}
