import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

const services = ["git", "github", "gitea", "forgejo", "gitlab", "gogs", "onedev", "gitbucket", "codebase"];

const text = z.string().default("");
const flag = z.boolean().default(false);
const laterFlag = flag.openapi({ description: "not brought yet: ignored" });

export const MigrateRepoOptions = z
  .object({
    clone_addr: z.string().openapi({ description: "https or http" }),
    repo_name: z.string(),
    repo_owner: text.openapi({ description: "wins over uid; the caller when both are absent" }),
    uid: z.int().default(0),
    service: text.openapi({ enum: services, description: "whatever it is, its code is brought by git" }),
    auth_username: text,
    auth_password: text,
    auth_token: text,
    description: text,
    private: flag,
    wiki: flag,
    mirror: flag.openapi({ description: "follows its source from then on, and takes no pushes" }),
    mirror_interval: text.openapi({ description: "8h30m0s, for example; 0: only when asked" }),
    lfs: flag.openapi({ description: "brings the objects of Git LFS, too" }),
    lfs_endpoint: text.openapi({ description: "https or http; when empty: `info/lfs` below clone_addr" }),
    issues: laterFlag,
    labels: laterFlag,
    milestones: laterFlag,
    pull_requests: laterFlag,
    releases: laterFlag,
  })
  .openapi("MigrateRepoOptions");

export const RepoMigration = z
  .object({
    status: z.enum(["waiting", "running", "failed", "done"]),
    source_url: z.string(),
    message: z.string().openapi({ description: "why it failed, or what was left out" }),
    failures: z.int().openapi({ description: "failed attempts in a row" }),
    ended_at: dateTime.nullable().openapi({ description: "of the last attempt" }),
    objects: z.int().openapi({ description: "that have come and have not landed yet" }),
    bytes: z.int(),
  })
  .openapi("RepoMigration");
