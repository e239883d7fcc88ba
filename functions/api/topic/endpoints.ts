import { addTopic, removeTopic, replaceTopics, searchTopics } from "#core/topic/topic";
import { z } from "#zod";
import { pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { timestamp } from "../../http/timestamps.ts";
import { RepoTopicOptions, TopicResponse } from "./schema.ts";

const writing = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;

const repoListTopics = endpoint({
  id: "repoListTopics",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/topics",
  summary: "List a repository's topics",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { list: z.string(), under: "topics", named: "TopicName" },
  errors: [404],
  handle: async ({ access, page }) => pageOf(access.repository.topics, page),
});

const repoUpdateTopics = endpoint({
  id: "repoUpdateTopics",
  tag: "repository",
  method: "put",
  path: "/repos/{owner}/{repo}/topics",
  summary: "Give a repository these topics instead of its own",
  needs: writing,
  body: RepoTopicOptions,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, access, body }) => {
    await replaceTopics(forge, actor, access.repository, body.topics ?? []);
    return undefined;
  },
});

const repoAddTopic = endpoint({
  id: "repoAddTopic",
  tag: "repository",
  method: "put",
  path: "/repos/{owner}/{repo}/topics/{topic}",
  summary: "Give a repository a topic more",
  needs: writing,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, access, params }) => {
    await addTopic(forge, actor, access.repository, params.topic);
    return undefined;
  },
});

const repoDeleteTopic = endpoint({
  id: "repoDeleteTopic",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/topics/{topic}",
  summary: "Take a topic from a repository",
  needs: writing,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, access, params }) => {
    await removeTopic(forge, actor, access.repository, params.topic);
    return undefined;
  },
});

const topicSearch = endpoint({
  id: "topicSearch",
  tag: "repository",
  method: "get",
  path: "/topics/search",
  summary: "Search for topics by a part of their names, the most used first",
  cost: "heavy",
  needs: { scope: ["repository"] },
  query: { q: text.openapi({ description: "a part of the name; all topics when absent" }) },
  status: 200,
  returns: { list: TopicResponse, under: "topics" },
  errors: [403, 404],
  handle: async ({ forge, actor, query, page }) => {
    const { items, total } = await searchTopics(forge, actor, query.q ?? "", page);
    const rows = items.map(({ topic, repositories }) => ({
      id: topic.id,
      topic_name: topic.name,
      repo_count: repositories,
      created: timestamp(topic.createdAt),
      updated: timestamp(topic.updatedAt),
    }));
    return { items: rows, total };
  },
});

export const topicEndpoints = [repoListTopics, repoUpdateTopics, repoAddTopic, repoDeleteTopic, topicSearch];
