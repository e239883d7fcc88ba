import { afterAll, beforeAll, expect } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, type TestFile } from "#tests/support/code";

export let api: TestApi;
export let olga: Caller;
let made = 0;

/** A repository with these files; its path. */
export async function withFiles(
  files: Readonly<Record<string, TestFile>>,
  options: object = {},
): Promise<string> {
  made += 1;
  const name = `repo-${made}`;
  await makeRepository(api, olga, name, options);
  await pushFiles(api, olga, name, { files });
  return `/repos/olga/${name}`;
}

export const get = async (path: string) => {
  const answer = await api.call("GET", path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};
export const templatesOf = async (files: Readonly<Record<string, TestFile>>) =>
  get(`${await withFiles(files)}/issue_templates`);

export const markdown = `---
name: Bug
about: Something is broken
title: "[bug] "
labels: bug, "help wanted"
assignees: [olga]
ref: main
---

What happened?
`;

/** Makes it before the tests of a file, and takes it away after them. */
export function useTemplates(): void {
  beforeAll(async () => {
    api = await makeApi();
    olga = await api.makeUser({ name: "olga" });
  });
  afterAll(() => api.stop());
}
