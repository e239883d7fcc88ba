import { describe, expect, it } from "vitest";
import { idKinds } from "#core/ids";
import { kindFinder, sidesOf } from "#core/lifecycle/item-kinds";
import type { ItemKind, Lifecycle } from "#core/lifecycle/lifecycle";
import { lifecycles } from "#core/lifecycle/registry";
import { loadingImports, readSource, sourceFiles } from "./own-imports.ts";

const registry = "core/lifecycle/registry.ts";
const files = sourceFiles("core");
const nounOf = (file: string) => file.split("/")[1] ?? "";
const kinds = lifecycles.flatMap(({ noun, items }) => items.map((kind) => ({ noun, kind })));

/** Keys of each kind, with numbers for its names. */
const sampleOf = (kind: ItemKind) => {
  const { pk, sk } = sidesOf(kind);
  const filled = (side: string) => side.replace(/<[a-z0-9]+>/g, "7");
  return { pk: filled(pk), sk: filled(sk) };
};

/** What a table file writes into keys, such as `LB#`, `#AT`, `META`, except the partitions that nouns share. */
const marksOf = (file: string): string[] => {
  const parts = /(?<=["`}])(?:#?[A-Za-z]+#|#[A-Z]+|[A-Z]{2,})(?=["`$])/g;
  return [...new Set(readSource(file).match(parts) ?? [])].filter((mark) => !/^[OURI]#$/.test(mark));
};

/** Partitions that go with what ends, whole. */
const goneWith: Readonly<Record<Ending, RegExp>> = {
  repository: /^(R#<repository>|I#<repository>\.<number>)$/,
  user: /^U#<user>$/,
  organization: /^O#<(organization|owner)>$/,
  issue: /^I#<repository>\.<number>$/,
};
const named: Readonly<Record<Ending, RegExp>> = {
  repository: /<repository>/,
  user: /<(user|owner)>/,
  organization: /<(organization|owner)>/,
  issue: /<number>/,
};
type Ending = "repository" | "user" | "organization" | "issue";
const endings = ["repository", "user", "organization", "issue"] as const;

/** Whose end an item may outlive: of what its key names, beside that in whose partition it lies. */
function outlived({ ends }: Lifecycle, kind: ItemKind): Ending[] {
  const { pk, sk } = sidesOf(kind);
  const isHandled = (ending: Ending) =>
    ends?.[ending] !== undefined || (ending === "repository" && ends?.issue !== undefined);
  return endings.filter((ending) => {
    const isInside = goneWith[ending].test(pk) && !named[ending].test(sk);
    return named[ending].test(kind.at) && !isInside && !isHandled(ending);
  });
}

const isOfNobody = ({ ends }: Lifecycle, kind: ItemKind) =>
  endings.every((ending) => !named[ending].test(kind.at)) && ends === undefined;

describe("a noun's lifecycle", () => {
  it("lies in each folder of core that keeps items, and in the registry", () => {
    const keeping = new Set(files.filter((file) => file.endsWith(".table.ts")).map(nounOf));
    const nouns = new Set(lifecycles.map(({ noun }) => noun));
    expect([...keeping].filter((noun) => !nouns.has(noun))).toEqual([]);
    const declared = files.filter((file) => file.endsWith(".lifecycle.ts"));
    const listed = loadingImports()
      .filter(({ from, to }) => from === registry && to.endsWith(".lifecycle.ts"))
      .map(({ to }) => to);
    expect(listed.sort()).toEqual(declared.sort());
    const unnamed = declared.filter((file) => nounOf(file) !== "lifecycle" && !nouns.has(nounOf(file)));
    expect([unnamed, lifecycles.length]).toEqual([[], declared.length]);
  });

  it("names every kind of key that its tables write", () => {
    const missing = files
      .filter((file) => file.endsWith(".table.ts"))
      .flatMap((file) => {
        const own = kinds.filter(({ noun }) => noun === nounOf(file)).map(({ kind }) => kind.at);
        return marksOf(file)
          .filter((mark) => !own.some((at) => at.includes(mark)))
          .map((mark) => `${file}: ${mark}`);
      });
    expect(missing).toEqual([]);
  });

  it("names kinds of keys apart: a key is of one kind alone", () => {
    const twice = kinds.filter(({ kind }) => {
      const others = kinds.filter((other) => other.kind !== kind).map((other) => other.kind);
      return kindFinder(others)(sampleOf(kind)) !== undefined;
    });
    expect(twice).toEqual([]);
    expect(kinds.filter(({ kind }) => kindFinder([kind])(sampleOf(kind)) !== kind)).toEqual([]);
  });

  it("says what becomes of each item when anything ends that its key names", () => {
    const forgotten = lifecycles.flatMap((lifecycle) =>
      lifecycle.items
        .filter(({ goes }) => goes === undefined)
        .flatMap((kind) => [
          ...outlived(lifecycle, kind).map((ending) => `${kind.at} outlives its ${ending}`),
          ...(isOfNobody(lifecycle, kind) ? [`${kind.at} stays for good`] : []),
        ]),
    );
    expect(forgotten).toEqual([]);
  });

  it("tells which items bear the ids of each counter", () => {
    const counters = new Set(kinds.map(({ kind }) => kind.counter));
    expect(idKinds.filter((kind) => !counters.has(kind))).toEqual([]);
  });

  it("has invariants that read kinds which are declared, and keeps less of its own alone", () => {
    const declared = new Set(kinds.map(({ kind }) => kind.at));
    for (const { noun, items, checks } of lifecycles) {
      const { reads = [], keeps = {} } = checks ?? {};
      expect([noun, reads.filter((at) => !declared.has(at))]).toEqual([noun, []]);
      const own = new Set(items.map(({ at }) => at));
      expect([noun, Object.keys(keeps).filter((at) => !own.has(at))]).toEqual([noun, []]);
    }
  });

  it("is known to jobs and checks alone: no verb loads the registry", () => {
    const loaders = loadingImports().filter(({ to }) => to === registry);
    const walking = /^(core\/lifecycle|functions\/workers)\//;
    expect(loaders.filter(({ from }) => !walking.test(from))).toEqual([]);
    const walkers = new Set(loaders.map(({ from }) => from));
    const users = loadingImports().filter(({ from, to }) => walkers.has(to) && !walkers.has(from));
    expect(users.filter(({ from }) => !/^(functions\/workers|infra)\//.test(from))).toEqual([]);
  });
});
