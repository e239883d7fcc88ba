import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lfsPointerFile, readLfsPointer } from "#core/lfs/pointer";
import { pushFiles } from "#tests/support/code";
import { type LfsWorld, named, startLfs } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const pointerTo = ({ oid, size }: { oid: string; size: number }) => lfsPointerFile({ oid, sizeBytes: size });
const get = (path: string, headers: Record<string, string> = {}) =>
  world.api.call("GET", `/repos/alice/${world.name}/${path}`, { as: world.alice, headers });
const beside = (path: string) =>
  world.site.request(`/alice/${world.name}/${path}`, {}, { clientAddress: "192.0.2.1" });

describe("media (semantics §37.1, §37.3)", () => {
  it("200: the object that a pointer names; raw is the pointer", async () => {
    const object = await world.upload("<svg>large</svg>");
    const pointer = pointerTo(object);
    await pushFiles(world.api, world.alice, world.name, { files: { "a.svg": pointer } });
    const media = await get("media/a.svg");
    expect([media.status, media.text, media.headers.get("etag")]).toEqual([
      200,
      "<svg>large</svg>",
      `"${object.oid}"`,
    ]);
    expect(media.headers.get("content-type")).toBe("image/svg+xml");
    expect(media.headers.get("content-security-policy")).toContain("sandbox");
    expect((await get("media/a.svg", { range: "bytes=5-9" })).text).toBe("large");
    expect((await get("media/a.svg", { "if-none-match": `"${object.oid}"` })).status).toBe(304);
    expect((await get("raw/a.svg")).text).toBe(String(pointer));
    expect(await (await beside("media/branch/main/a.svg")).text()).toBe("<svg>large</svg>");
    expect(await (await beside("raw/branch/main/a.svg")).text()).toBe(String(pointer));
    const { json } = await get("contents/a.svg");
    expect(json).toMatchObject({ lfs_oid: object.oid, lfs_size: object.size, size: pointer.length });
  });

  it("200: the pointer itself, when the repository lacks the object or its size is another", async () => {
    const object = await world.upload(`sized-${world.id}`);
    const files = {
      absent: pointerTo(named("nowhere")),
      lying: pointerTo({ ...object, size: object.size + 1 }),
      plain: "no pointer",
    };
    await pushFiles(world.api, world.alice, world.name, { files });
    for (const [path, content] of Object.entries(files)) {
      expect((await get(`media/${path}`)).text).toBe(String(content));
    }
    expect((await get("contents/plain")).json.lfs_oid).toBeUndefined();
  });
});

describe("a pointer", () => {
  const { oid, size: sizeBytes } = named("x");
  const pointer = { oid, sizeBytes };
  const text = String(lfsPointerFile(pointer));

  it.each([
    ["as it is written", text, pointer],
    ["without its last line end", text.trimEnd(), pointer],
    ["with an extension", text.replace("oid", `ext-0-foo sha256:${oid}\noid`), pointer],
    ["of the first version", text.replace("git-lfs.github.com", "hawser.github.com"), pointer],
    ["of another version", text.replace("spec/v1", "spec/v2"), undefined],
    ["with capitals", text.replace(oid, oid.toUpperCase()), undefined],
    ["of another hash", text.replace("sha256", "sha512"), undefined],
    ["with a negative size", text.replace("size ", "size -"), undefined],
    ["of a size beyond numbers", text.replace("size 1", "size 9999999999999999"), undefined],
    ["with something behind it", `${text}more\n`, undefined],
    ["of more than 1,024 bytes", text + "\n".repeat(1_024), undefined],
    ["that is empty", "", undefined],
  ])("%s", (_what, content, read) => {
    expect(readLfsPointer(Buffer.from(content))).toEqual(read);
  });
});
