import { describe, expect, it } from "vitest";
import { isWithinQuota, judgeGroup, type QuotaLimit } from "#core/quota/evaluate";
import {
  containersOf,
  partsOf,
  type QuotaSubject,
  quotaSubjects,
  sizeOf,
  type Usage,
  usageNames,
} from "#core/quota/subject";

const nothing = Object.fromEntries(usageNames.map((name) => [name, 0])) as Usage;
const using = (usage: Partial<Usage>): Usage => ({ ...nothing, ...usage });
const rule = (limit: number, ...subjects: QuotaSubject[]): QuotaLimit => ({ limit, subjects });

const releases = "size:assets:attachments:releases";
const packages = "size:assets:packages:all";
const lfs = "size:git:lfs";

describe("what a group says (QM-3, QM-4, LIM-4a, LIM-4b, semantics §18.3)", () => {
  const both = [rule(-1, "size:all"), rule(0, "size:all")];
  const mixed = [rule(1024, releases, lfs, packages), rule(0, lfs)];
  const apart = [rule(4096, "size:repos:all"), rule(0, packages)];
  const much = using({ releaseAttachments: 512, packages: 256, lfs: 16 });
  const even = using({ publicRepositories: 1024, packages: 1024 });
  const cases: [string, QuotaLimit[], Usage, QuotaSubject, string | undefined][] = [
    ["no limit and 0", both, using({ publicRepositories: 1024 }), "size:all", "exceeded"],
    ["a sum of three", mixed, much, releases, "within"],
    ["a sum of three", mixed, much, packages, "within"],
    ["a sum of three, and 0 on one", mixed, much, lfs, "exceeded"],
    ["a sum of three, and 0 on one", mixed, much, "size:all", "exceeded"],
    ["what no rule covers", apart, even, lfs, undefined],
    ["one of two rules", apart, even, "size:repos:all", "within"],
    ["the whole of a violated part", apart, even, "size:all", "exceeded"],
    [
      "the sum equals the limit",
      [rule(1024, releases)],
      using({ releaseAttachments: 1024 }),
      releases,
      "exceeded",
    ],
    ["one byte below", [rule(1024, releases)], using({ releaseAttachments: 1023 }), releases, "within"],
    ["0 against nothing used", [rule(0, lfs)], nothing, lfs, "exceeded"],
    ["2^53 − 1", [rule(2 ** 53 - 1, lfs)], using({ lfs: 2 ** 52 }), lfs, "within"],
    [
      "no limit on the whole, 0 on a part",
      [rule(-1, "size:all"), rule(0, packages)],
      nothing,
      "size:all",
      "exceeded",
    ],
    ["no limit on the whole", [rule(-1, "size:all")], even, "size:all", "within"],
    ["no rules", [], even, "size:all", undefined],
    ["a rule without subjects", [rule(0)], even, "size:all", undefined],
    ["a rule of the wiki alone", [rule(0, "size:wiki")], even, "size:all", undefined],
    ["the wiki inside a sum", [rule(1, "size:wiki", lfs)], nothing, lfs, "within"],
  ];
  it.each(cases)("%s", (_title, group, usage, subject, verdict) => {
    expect(judgeGroup(group, usage, subject)).toBe(verdict);
  });

  it("a rule of everything covers each subject in it; a rule of another covers none", () => {
    for (const subject of quotaSubjects.filter((one) => containersOf(one).includes("size:all")))
      expect(judgeGroup([rule(0, "size:all")], nothing, subject), subject).toBe("exceeded");
    expect(judgeGroup([rule(0, "size:repos:public")], nothing, "size:repos:private")).toBeUndefined();
  });
});

describe("a list of groups (semantics §18.3, D-QUOTA-NONE)", () => {
  const full = using({ publicRepositories: 1024 });
  const zero = [rule(0, "size:all")];
  const within = (groups: QuotaLimit[][], usage: Usage, subject: QuotaSubject, total = -1) =>
    isWithinQuota(groups, total, usage, subject);

  it("stands when any of its groups stands, or has nothing to say (QM-5, LIM-4c)", () => {
    expect(within([zero, [rule(-1, "size:all")]], full, "size:all")).toBe(true);
    expect(within([zero, [rule(1024, "size:all")]], using({ publicRepositories: 2048 }), "size:all")).toBe(
      false,
    );
    expect(within([zero, [rule(1, packages)]], full, lfs)).toBe(true);
    expect(within([zero, []], full, "size:all")).toBe(true);
  });

  it("an owner without groups is limited by the total alone", () => {
    expect(within([], full, "size:all")).toBe(true);
    expect(within([], full, "size:all", 1025)).toBe(true);
    expect(within([], full, "size:all", 1024)).toBe(false);
    expect(within([], full, lfs, 1024)).toBe(false);
  });

  it("wikis, under both names, and `none` always stand (QUOTA-size:wiki, LIM-6, D-QUOTA-WIKI)", () => {
    for (const subject of ["size:wiki", "size:assets:wiki", "none"] as const)
      expect(within([zero], full, subject, 0), subject).toBe(true);
  });

  it("service document, worked case: either rule makes the group not stand, for its own subjects", () => {
    const group = [[rule(1000, releases, packages, lfs), rule(100, packages)]];
    const onlyB = using({ packages: 150 });
    expect([packages, "size:all", releases].map((one) => within(group, onlyB, one as QuotaSubject))).toEqual([
      false,
      false,
      true,
    ]);
    const onlyA = using({ releaseAttachments: 1200 });
    for (const subject of [releases, packages, lfs] as const)
      expect(within(group, onlyA, subject)).toBe(false);
    const neither = using({ packages: 50, releaseAttachments: 500 });
    for (const subject of [releases, packages] as const) expect(within(group, neither, subject)).toBe(true);
  });
});

describe("sizes of subjects (semantics §18.2)", () => {
  const usage = Object.fromEntries(usageNames.map((name, at) => [name, 10 ** at])) as Usage;
  const isOf = (subject: QuotaSubject, bytes: number) => expect(sizeOf(subject, usage)).toBe(bytes);

  it("QUOTA-size:all: everything, each total once", () => isOf("size:all", 1_111_111));
  it("QUOTA-size:repos:all: repositories without LFS", () => isOf("size:repos:all", 11));
  it("QUOTA-size:repos:public: public ones alone", () => isOf("size:repos:public", 1));
  it("QUOTA-size:repos:private: private ones alone", () => isOf("size:repos:private", 10));
  it("QUOTA-size:git:all: repositories with LFS", () => isOf("size:git:all", 111));
  it("QUOTA-size:git:lfs: LFS alone", () => isOf("size:git:lfs", 100));
  it("QUOTA-size:assets:all: whatever is no git data", () => isOf("size:assets:all", 1_111_000));
  it("QUOTA-size:assets:attachments:all: of issues and releases", () =>
    isOf("size:assets:attachments:all", 11_000));
  it("QUOTA-size:assets:attachments:issues: of issues and comments", () =>
    isOf("size:assets:attachments:issues", 1_000));
  it("QUOTA-size:assets:attachments:releases: of releases", () =>
    isOf("size:assets:attachments:releases", 10_000));
  it("QUOTA-size:assets:artifacts: artifacts", () => isOf("size:assets:artifacts", 100_000));
  it("QUOTA-size:assets:packages:all: packages", () => isOf("size:assets:packages:all", 1_000_000));
  it("QUOTA-size:wiki, and none: nothing", () => {
    isOf("size:wiki", 0);
    isOf("none", 0);
  });

  it("every part of a subject lies within it", () => {
    for (const subject of quotaSubjects)
      for (const part of partsOf(subject)) expect(containersOf(part)).toContain(subject);
  });
});
