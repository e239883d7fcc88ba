import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Browser, type Shown } from "../support/browser.ts";
import type { Member } from "./team.ts";

/** A browser in which a user is signed in, and agrees to what programs ask for. */
export interface UserBrowser {
  /** With these, programs find it as `xdg-open`, or as what the real one opens. */
  readonly environment: Readonly<Record<string, string>>;
  /** Opens a page of the forge, and agrees if asked; answers the address that the user is sent back to. */
  visit(address: string): Promise<string>;
  stop(): Promise<void>;
}

/** Stands for `xdg-open`: tells the browser's own port the address. */
const openScript = `#!${process.execPath}
fetch(process.env.USER_BROWSER, { method: "POST", body: process.argv[2] }).then(({ ok }) => process.exit(ok ? 0 : 1));
`;

/** Signs a user in at a forge, with what it needs in `folder`. */
export async function startUserBrowser(url: string, user: Member, folder: string): Promise<UserBrowser> {
  const browser = new Browser(url);
  const login = await browser.get("/user/login");
  await browser.submit(login, { user_name: user.name, password: user.password });
  const visit = async (address: string): Promise<string> => {
    const page = await browser.get(address);
    return sentTo(page.status === 303 ? page : await browser.submit(page, { granted: "true" }));
  };
  const server = createServer(async (request, response) => {
    try {
      let address = "";
      for await (const chunk of request) address += chunk;
      const back = await visit(address);
      response.end();
      await fetch(back);
    } catch (error) {
      console.error(error);
      response.writeHead(500).end();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const programs = join(folder, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "xdg-open"), openScript, { mode: 0o755 });
  return {
    environment: {
      PATH: `${programs}:${process.env.PATH}`,
      BROWSER: join(programs, "xdg-open"),
      USER_BROWSER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    visit,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sentTo({ status, location, text }: Shown): string {
  if (status !== 303 || location === undefined)
    throw new Error(`the user is not sent back: ${status} ${text}`);
  return location;
}
