import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { boundedIntake } from "#core/capacity/intake";
import { createSite } from "#infra/local/http/site";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Browser, type Shown } from "#tests/support/browser";
import type { PathProxy } from "#tests/support/servers/path-proxy";
import { onFileFinished } from "#tests/support/suite/file-end";

/** The whole service over real connections, under its own address. */
export interface PagesSite {
  readonly api: TestApi;
  readonly url: string;
  /** A path of the service as browsers write it. */
  at(path: string): string;
  /** A browser of its own, by default at an address that nobody else has. */
  browser(address?: string): Browser;
  /** What a browser is answered that signs in by password. */
  signIn(browser: Browser, caller: Pick<Caller, "name" | "password">, goal?: string): Promise<Shown>;
}

let made = 0;

/** Starts it, behind a proxy if there is one; it ends with the test file. */
export async function startPages(
  settings: Readonly<Record<string, string>> = {},
  proxy?: PathProxy,
): Promise<PagesSite> {
  let listener: ReturnType<typeof getRequestListener> | undefined;
  const server = createServer((request, response) => void listener?.(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  proxy?.leadTo(port);
  const url = proxy?.url ?? `http://127.0.0.1:${port}`;
  const { origin, pathname } = new URL(url);
  const at = (path: string) => pathname.replace(/\/$/, "") + path;
  const api = await makeApi({ settings: { ROOT_URL: url, TRUSTED_PROXIES: "127.0.0.1", ...settings } });
  listener = getRequestListener(createSite(api.forge, boundedIntake(api.forge.config)).fetch);
  onFileFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await api.stop();
  });
  const newAddress = () => {
    made += 1;
    return `198.18.${made >> 8}.${made & 255}`;
  };
  return {
    api,
    url,
    at,
    browser: (address = newAddress()) =>
      new Browser(origin, { "x-forwarded-for": address, "user-agent": "Tester/1.0" }),
    async signIn(browser, { name, password }, goal) {
      const query = goal === undefined ? "" : `?${new URLSearchParams({ redirect_to: goal })}`;
      const page = await browser.get(at(`/user/login${query}`));
      return browser.submit(page, { user_name: name, password });
    },
  };
}
