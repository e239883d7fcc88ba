import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, as the end of a run prints it; how many of these stand here is a matter of seconds. */
const slowest = [
  "start/hostile-requests.long",
  "infra/aws/deployed-shape.long",
  "git/ingest/ingest.long",
  "git/http/many-refs.long",
  "api/mirror/sync-kills.long",
  "git/fetch/partial.long",
  "git/fetch/slow-store.long",
  "api/mirror/lfs-kills.long",
  "api/user/deletion.long",
  "lfs/git-lfs.long",
  "git/http/history.long",
  "api/access-matrix",
  "core/lifecycle/check/check-table",
  "api/declared-refusals",
  "api/pull/merge/merge",
  "api/notification/notifications",
];

/** Starts what takes longest first: begun near the end, it would run for minutes beside workers with nothing to do. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      slowest.some((name) => moduleId.endsWith(`/tests/${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((one) => !isSlow(one))];
  }
}
