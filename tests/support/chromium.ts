import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onFileFinished } from "./suite/file-end.ts";

/** A tab of a real browser, with what went wrong in it. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the console called an error, what a policy blocked, and what scripts threw. */
  readonly problems: string[];
  /** The origins that were asked for anything. */
  readonly origins: Set<string>;
}

type Chromium = Awaited<ReturnType<typeof chromium.launch>>;

/** Names that browsers of tests find on this machine; nobody else has them. */
export const madeUpHost = "forge.example";

/** Debian's browser: no test downloads one. Its sandbox needs a kernel that containers don't offer. */
const launch = (): Promise<Chromium> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", `--host-resolver-rules=MAP ${madeUpHost} 127.0.0.1`],
  });

/** Starts Chromium; it ends with the test file. The result opens tabs, each in a profile of its own. */
export async function startChromium(): Promise<(options?: BrowserContextOptions) => Promise<Tab>> {
  const browser = await launch();
  onFileFinished(() => browser.close());
  return async (options = {}) => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
    const problems: string[] = [];
    const origins = new Set<string>();
    context.setDefaultTimeout(100_000); // as long as expectations wait: a busy machine is no failure
    const page = await context.newPage();
    page.on("console", (message) => {
      // Browsers log each answer of 400 and above, which pages show in words of their own.
      const isStatus = /^Failed to load resource: the server responded with a status of 4/.test(
        message.text(),
      );
      if (message.type() === "error" && !isStatus) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin);
    });
    return { page, context, problems, origins };
  };
}

let axe: Promise<string> | undefined;

interface Finding {
  readonly impact: string;
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Rules whose outcome a color scheme can change. */
export const colorRules: readonly string[] = ["color-contrast", "link-in-text-block"];

/**
 * What axe-core finds wrong with the page as it is shown, or with a part of it: `serious color-contrast <p …>`; by all
 * its rules or some of them.
 */
export async function accessFindings(
  page: Page,
  selector = "html",
  rules?: readonly string[],
): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await axe);
  const options = rules === undefined ? {} : { runOnly: rules };
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify(selector)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Finding[];
  return violations.flatMap(({ impact, id, nodes }) => nodes.map(({ html }) => `${impact} ${id} ${html}`));
}

/** By how many pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - window.innerWidth");

/** What the page has kept outside its memory, and where it is: nothing of a secret may be in it. */
export const keptBy = (page: Page): Promise<string> =>
  page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])",
  );
