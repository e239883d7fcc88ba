import type { JobState } from "#core/actions/job/job-states";
import { isRunEvent } from "#core/actions/run/run-events";
import { listRuns } from "#core/actions/run/run-list";
import { defined } from "#core/defined";
import { isForgeError, notFound } from "#core/errors";
import { countMatching } from "#core/issue/listing/counts";
import { getLatestRelease } from "#core/release/release";
import { readRepositoryCounts } from "#core/repository/counts";
import { readsPulls } from "../../api/pull/needs.ts";
import { readsReleases } from "../../api/release/needs.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { type Badge, badgeAnswer } from "./draw.ts";

const shown = {
  tag: "repository",
  method: "get",
  status: 200,
  returns: { file: true },
  errors: [403, 404],
} as const;
const base = "/{owner}/{repo}/badges";
const readsActions = { scope: ["repository"], repository: { mode: "read", unit: "actions" } } as const;
const readsIssues = { scope: ["repository"], repository: { mode: "read", unit: "issues" } } as const;

const starsBadge = endpoint({
  ...shown,
  id: "showStarsBadge",
  path: `${base}/stars.svg`,
  summary: "Show how many stars a repository has",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  handle: async ({ forge, access }) => {
    if (forge.config.disableStars) throw notFound("repositories can't be starred here");
    const { stars } = await readRepositoryCounts(forge, access.repository);
    return badgeAnswer({ label: "stars", text: String(stars), color: "plain" });
  },
});

const releaseBadge = endpoint({
  ...shown,
  id: "showReleaseBadge",
  path: `${base}/release.svg`,
  summary: "Show the newest release of a repository",
  needs: readsReleases,
  handle: async ({ forge, access }) => {
    const release = await getLatestRelease(forge, access).catch((error: unknown) => {
      if (isForgeError(error, "not-found")) return undefined;
      throw error;
    });
    return badgeAnswer(
      release === undefined
        ? { label: "release", text: "not found", color: "none" }
        : { label: "release", text: release.tagName, color: "plain" },
    );
  },
});

/** Of all issues, or pull requests, or of those of a state. */
const countBadge = (id: string, type: "issue" | "pull", state?: "open" | "closed") =>
  endpoint({
    ...shown,
    id,
    path: `${base}/${type}s${state === undefined ? "" : `/${state}`}.svg` as typeof base,
    summary: `Show how many ${type === "issue" ? "issues" : "pull requests"} a repository has${state === undefined ? "" : ` that are ${state}`}`,
    needs: type === "issue" ? readsIssues : readsPulls,
    handle: async ({ forge, access }) => {
      const n = await countMatching(forge, access.repository, defined({ type, state }));
      const text = state === undefined ? String(n) : `${n} ${state}`;
      return badgeAnswer({ label: `${type}s`, text, color: "plain" });
    },
  });

const colorOf: Readonly<Record<JobState, Badge["color"]>> = {
  success: "good",
  failure: "bad",
  cancelled: "none",
  skipped: "none",
  waiting: "busy",
  running: "busy",
  blocked: "busy",
};

/** Forgejo's address of it, and the one in `badge_url`. */
const workflowBadge = (id: string, place: "badges" | "actions") =>
  endpoint({
    ...shown,
    id,
    path: `/{owner}/{repo}/${place}/workflows/{workflow}/badge.svg`,
    summary: "Show how the newest run of a workflow went, on the default branch unless another is named",
    needs: readsActions,
    query: {
      branch: text.openapi({ description: "the branch whose runs count" }),
      event: text.openapi({ description: "only runs that this event started" }),
    },
    handle: async ({ forge, access: { repository }, params: { workflow }, query }) => {
      const { branch = repository.defaultBranch, event } = query;
      const events = event === undefined ? {} : { events: isRunEvent(event) ? [event] : [] };
      const filter = { workflow, refs: [`refs/heads/${branch}`], ...events };
      const { items } = await listRuns(forge, repository.id, filter, { page: 1, limit: 1 });
      const [run] = items;
      return badgeAnswer(
        run === undefined
          ? { label: workflow, text: "no runs", color: "none" }
          : { label: workflow, text: run.state, color: colorOf[run.state] },
      );
    },
  });

/** Small images of how a repository stands, for texts that show them. */
export const badgeEndpoints: readonly Endpoint[] = [
  starsBadge,
  releaseBadge,
  countBadge("showIssuesBadge", "issue"),
  countBadge("showOpenIssuesBadge", "issue", "open"),
  countBadge("showClosedIssuesBadge", "issue", "closed"),
  countBadge("showPullsBadge", "pull"),
  countBadge("showOpenPullsBadge", "pull", "open"),
  countBadge("showClosedPullsBadge", "pull", "closed"),
  workflowBadge("showWorkflowBadge", "badges"),
  workflowBadge("showBadgeOfWorkflow", "actions"),
];
