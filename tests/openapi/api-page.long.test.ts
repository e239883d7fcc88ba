import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type PagesSite, startPages } from "#tests/pages/site";
import type { Caller } from "#tests/support/api";
import { accessFindings, keptBy, overflow, startChromium, type Tab } from "#tests/support/chromium";
import { startPathProxy } from "#tests/support/servers/path-proxy";

let openTab: Awaited<ReturnType<typeof startChromium>>;
beforeAll(async () => {
  openTab = await startChromium();
});

/** Opens an operation by its line. */
async function open(page: Page, id: string) {
  const operation = page.locator(`#${id}`);
  await operation.locator("summary").press("Enter");
  return operation;
}

// Looked for where they stand: names of all that is on the page take seconds.
const tokenOf = (page: Page) =>
  page.locator("section[aria-labelledby=try]").getByRole("textbox", { name: /^Token stays/ });
const findOf = (page: Page) => page.locator(".find").getByLabel("Find an operation");

async function expectUsable({ page }: Tab, part?: string): Promise<void> {
  expect([await accessFindings(page, part), await overflow(page)]).toEqual([[], 0]);
}

const opened = async (site: PagesSite, options: Parameters<typeof openTab>[0] = {}) => {
  const tab = await openTab(options);
  await tab.page.goto(`${site.url}/api/swagger`);
  return tab;
};

async function startSite(path: string): Promise<readonly [PagesSite, Caller]> {
  const site = await startPages({}, await startPathProxy(path));
  return [site, await site.api.makeUser({ name: "alice" })];
}

describe("the API page in a real browser (D-DOCUMENT)", () => {
  let site: PagesSite;
  let alice: Caller;
  beforeAll(async () => {
    [site, alice] = await startSite("");
  });

  it.each([
    ["at the root of its host", ""],
    ["below a path of its host (ROOT_URL)", "/git"],
  ])(
    "finds an operation and sends it, by the keyboard and at 320 pixels, and keeps the token nowhere: %s",
    async (_title, path) => {
      const [site, alice] = await startSite(path);
      const tab = await opened(site, { viewport: { width: 320, height: 640 } });
      const { page } = tab;
      await tokenOf(page).fill(alice.token);
      await findOf(page).fill("createCurrentUserRepo");
      expect(await page.locator("#found").textContent()).toBe("1 operation");
      const create = await open(page, "createCurrentUserRepo");
      const body = create.getByRole("textbox", { name: /^Body/ });
      expect(JSON.parse(await body.inputValue())).toEqual({ name: "" });
      await body.fill('{"name": "tale <b>"}');
      await create.getByRole("button", { name: "Send" }).press("Enter");
      await create.getByText("Answer: 422").waitFor();
      await body.fill('{"name": "tale", "description": "<img src=x onerror=alert(1)>"}');
      await create.getByRole("button", { name: "Send" }).press("Enter");
      await create.getByText("Answer: 201").waitFor();
      const shown = create.getByRole("region", { name: "Body of the answer" });
      expect(JSON.parse((await shown.textContent()) ?? "")).toMatchObject({ full_name: "alice/tale" });
      expect(await create.getByRole("region", { name: "Headers of the answer" }).textContent()).toContain(
        "content-type: application/json",
      );
      if (path === "") await expectUsable(tab, "#createCurrentUserRepo"); // below a path it is the same page
      await findOf(page).fill("");

      const get = await open(page, "repoGet");
      await get.locator("[name=owner]").fill("alice");
      await get.getByRole("button", { name: "Send" }).press("Enter"); // a name that is required is missing
      expect(await get.locator(".answer").count()).toBe(0);
      await get.locator("[name=repo]").fill("tale");
      await get.locator("[name=repo]").press("Enter");
      await get.getByText("Answer: 200").waitFor();
      expect(await get.getByText(`GET ${site.url}/api/v1/repos/alice/tale`).count()).toBe(1);
      const kept = await keptBy(page);
      expect(kept).not.toContain(alice.token);
      expect(kept).toBe(JSON.stringify([{}, {}, "", `${site.url}/api/swagger`, null]));
      await page.reload();
      expect(await tokenOf(page).inputValue()).toBe("");
      expect([tab.problems, tab.origins]).toEqual([[], new Set([new URL(site.url).origin])]);
    },
  );

  it("tells of a wrong token, and never sends the cookie of a session", async () => {
    const tab = await openTab();
    const { page } = tab;
    await page.goto(`${site.url}/user/login`);
    await page.getByLabel("Name or e-mail address").fill("alice");
    await page.getByLabel("Password").fill(alice.password);
    await page.getByLabel("Password").press("Enter");
    await page.getByRole("heading", { name: "Sessions of alice" }).waitFor();
    await page.goto(`${site.url}/api/swagger#userGetCurrent`);
    const operation = page.locator("#userGetCurrent");
    for (const token of ["", "0".repeat(40)]) {
      await tokenOf(page).fill(token);
      const asked = page.waitForRequest(`${site.url}/api/v1/user`);
      await operation.getByRole("button", { name: "Send" }).click();
      const headers = await (await asked).allHeaders();
      expect([headers.cookie, headers.authorization]).toEqual([
        undefined,
        token === "" ? undefined : `token ${token}`,
      ]);
      await operation.getByText("Answer: 401").waitFor();
      expect(await operation.getByText(/"message":/).count()).toBe(1);
    }
    expect(tab.problems).toEqual([]);
  });

  it("is usable as a whole, in the dark and in the light, and leads to what refusals mean", async () => {
    for (const [colorScheme, part] of [
      ["dark", "header"],
      ["light", "html"],
    ] as const) {
      const tab = await opened(site, { colorScheme, viewport: { width: 320, height: 640 } });
      await expectUsable(tab, part);
      await tab.page
        .locator("header")
        .getByRole("link", { name: "What refusals mean, and what to do" })
        .press("Enter");
      expect(tab.page.url()).toBe(`${site.url}/api/swagger#errors`);
      expect(tab.problems).toEqual([]);
    }
  });

  it("sends query, lists, choices and files as the operations take them", async () => {
    const { page, problems } = await opened(site);
    await tokenOf(page).fill(alice.token);
    const { json } = await site.api.call("POST", "/user/repos", { as: alice, body: { name: "files" } });
    await site.api.call("POST", `/repos/${json.full_name}/issues`, {
      as: alice,
      body: { title: "with a file" },
    });
    const attach = await open(page, "issueCreateIssueAttachment");
    await attach.locator("[name=owner]").fill("alice");
    await attach.locator("[name=repo]").fill("files");
    await attach.locator("[name=index]").fill("1");
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("some notes") };
    await attach.locator("[name=attachment]").setInputFiles(file);
    await attach.getByRole("button", { name: "Send" }).click();
    await attach.getByText("Answer: 201").waitFor();
    const list = await open(page, "issueListIssues");
    await list.locator("[name=owner]").fill("alice");
    await list.locator("[name=repo]").fill("files");
    await list.locator("[name=state]").fill("closed");
    await list.locator("[name=sort]").selectOption("oldest");
    await list.getByRole("button", { name: "Send" }).click();
    await list.getByText("Answer: 200").waitFor();
    expect(await list.getByRole("region", { name: "Body of the answer" }).textContent()).toBe("[]");
    const notes = await open(page, "notifyGetList");
    await notes.locator("[name=status-types]").fill("read, pinned");
    await notes.getByRole("button", { name: "Send" }).click();
    await notes.getByText("Answer: 200").waitFor();
    const query = "?status-types=read&status-types=pinned";
    expect(await notes.getByText(`GET ${site.url}/api/v1/notifications${query}`).count()).toBe(1);
    expect(problems).toEqual([]);
  });
});
