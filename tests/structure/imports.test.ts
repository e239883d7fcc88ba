import { describe, expect, it } from "vitest";
import {
  closureOf,
  loadingImports,
  ownImports,
  readSource,
  sourceFiles,
  targetsByFile,
} from "./own-imports.ts";

const topOf = (path: string) => path.split("/")[0] ?? "";
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  functions: ["functions", "core"],
  infra: ["infra", "functions", "core"],
  tests: ["tests", "infra", "functions", "core"],
};

const engine = ["repository", "format", "pack", "refs", "ingest", "history"];
/** The rooms that each room of core/git may import; `repository.ts` is the port between engine and store. */
const gitRooms: Readonly<Record<string, readonly string[]>> = {
  format: [],
  repository: ["format", "pack", "refs"],
  pack: ["format"],
  refs: ["repository", "format"],
  ingest: ["repository", "format", "pack"],
  history: ["repository", "format", "pack", "refs"],
  diff: ["format", "pack", "history"],
  merge: ["format", "pack", "history", "diff"],
  archive: ["repository", "format", "pack", "refs", "history", "diff"],
  store: engine,
  protocol: [...engine, "store"],
  client: [...engine, "protocol"],
};

const extended = "functions/http/zod.mjs";

describe("imports", () => {
  it("point one way: functions → core; infra → functions, core; core → core alone", () => {
    const wrong = ownImports().filter(({ from, to }) => allowed[topOf(from)]?.includes(topOf(to)) !== true);
    expect(wrong).toEqual([]);
  });

  it("of functions/http reach no operation; those of functions/openapi reach functions/http besides", () => {
    const wrong = ownImports().filter(
      ({ from, to }) =>
        (/^functions\/http\//.test(from) && /^functions\/(?!http\/)/.test(to)) ||
        (/^functions\/openapi\//.test(from) && /^functions\/(?!http\/|openapi\/)/.test(to)),
    );
    expect(wrong).toEqual([]);
  });

  it("of zod with schemas for the document come by #zod, which a bundle loads before them (decision 43)", () => {
    const past = sourceFiles("core", "functions", "infra", "tests").filter(
      (file) => /\bz\b[^}\n]*\} from "@hono\/zod-openapi"/.test(readSource(file)) && file !== extended,
    );
    expect(past).toEqual([]);
  });

  it("of presenters leave nothing to read: what they show was read before", () => {
    const presenters = sourceFiles("functions/api").filter((file) => /\/present[a-z-]*\.ts$/.test(file));
    expect(presenters.length).toBeGreaterThan(10);
    const reads = /\b(?:await|async|Promise)\b|\bforge\.(?:table|blobs|queues)\b/;
    expect(presenters.filter((file) => reads.test(readSource(file)))).toEqual([]);
  });

  it("of core/git reach no noun of the forge", () => {
    const stores =
      /^core\/(?:(?:blobs|caller|capacity|compute|concurrency|config|pattern|table)\/|jobs\/(?=due\.))?[a-z-]+\.ts$/;
    const wrong = ownImports().filter(
      ({ from, to }) => from.startsWith("core/git/") && !to.startsWith("core/git/") && !stores.test(to),
    );
    expect(wrong).toEqual([]);
  });

  it("of core/git leave table, bucket and forge to its store/", () => {
    const known = /^core\/(?:table|blobs|queues|forge|aws)(?:\.ts$|\/)/;
    const wrong = ownImports().filter(
      ({ from, to }) => from.startsWith("core/git/") && !from.startsWith("core/git/store/") && known.test(to),
    );
    expect(wrong).toEqual([]);
  });

  it("between the rooms of core/git point one way, and the engine knows the store by its port alone", () => {
    const roomOf = (path: string) => /^core\/git\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1];
    const wrong = ownImports().filter(({ from, to }) => {
      const [own, other] = [roomOf(from), roomOf(to)];
      if (own === undefined || other === undefined || own === other) return false;
      return gitRooms[own]?.includes(other) !== true;
    });
    expect(wrong).toEqual([]);
  });

  it("of the store by core/git/protocol are for pushes: fetches read through the port", () => {
    const users = ownImports().filter(
      ({ from, to }) => from.startsWith("core/git/protocol/") && to.startsWith("core/git/store/"),
    );
    expect(new Set(users.map(({ from }) => from))).toEqual(
      new Set(["core/git/protocol/receive-pack.ts", "core/git/protocol/take-push.ts"]),
    );
  });

  it("of what selects for fetches lead to no commit graph (decision 9)", () => {
    const targets = targetsByFile(loadingImports());
    const loaded = closureOf(targets, "core/git/history/select/pack-objects.ts");
    expect(loaded).toContain("core/git/history/commit-walk.ts");
    expect([...loaded].filter((file) => file.includes("/commit-graph/"))).toEqual([]);
  });

  it("reach what lies in `internal/` only from the folder around it", () => {
    const wrong = ownImports().filter(({ from, to }) => {
      const [home, inside] = to.split("/internal/");
      return inside !== undefined && !from.startsWith(`${home}/`) && !from.startsWith("tests/");
    });
    expect(wrong).toEqual([]);
  });

  it("name the file that has the behavior: no file exports what another declares", () => {
    const files = sourceFiles("core", "functions", "infra", "tests");
    const passingOn = /^export (?:type )?[{*]/m;
    expect(files.filter((file) => passingOn.test(readSource(file)))).toEqual([]);
  });

  it("are by name: no file of ours is imported as a whole", () => {
    const files = sourceFiles("core", "functions", "infra", "tests");
    const whole = /^import \* as [^;]* from "[#.]/m;
    expect(files.filter((file) => whole.test(readSource(file)))).toEqual([]);
  });

  it("of the engine of list indexes name no noun: each noun says in `<noun>.index.ts` what it lists", () => {
    const known = /^core\/(?:[^/]+\.ts$|capacity\/|concurrency\/|events\/|list-index\/|table\/|jobs\/)/;
    const wrong = ownImports().filter(
      ({ from, to }) => from.startsWith("core/list-index/") && to.startsWith("core/") && !known.test(to),
    );
    expect(wrong).toEqual([]);
  });

  it("of the AWS SDK stand only in the three clients of AWS, where the clients are made, and in the local stand-ins", () => {
    const users = sourceFiles("core", "functions").filter((file) => readSource(file).includes('"@aws-sdk/'));
    const stores = ["core/blobs.ts", "core/queues.ts", "core/table.ts"];
    expect(
      users.filter((file) => !stores.includes(file) && !/^core\/(aws|table|blobs)\//.test(file)),
    ).toEqual([]);
  });
});
