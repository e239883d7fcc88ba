import { describe, expect, it } from "vitest";
import { eventGroup, eventTypes, expandEvents } from "#core/hook/event-types";

describe("expandEvents", () => {
  it("means push when nothing is asked", () => {
    expect(expandEvents([])).toEqual(["push"]);
  });

  it("expands issues to everything about issues, and issues_only to nothing else", () => {
    expect(expandEvents(["issues"])).toEqual([
      "issues",
      "issue_assign",
      "issue_label",
      "issue_milestone",
      "issue_comment",
    ]);
    expect(expandEvents(["issues_only"])).toEqual(["issues"]);
  });

  it("expands pull_request to everything about pulls, and pull_request_only to nothing else", () => {
    expect(expandEvents(["pull_request"])).toEqual(
      eventTypes.filter((type) => type.startsWith("pull_request")),
    );
    expect(expandEvents(["pull_request_only"])).toEqual(["pull_request"]);
  });

  it("expands pull_request_review to the three kinds of review", () => {
    expect(expandEvents(["pull_request_review"])).toEqual([
      "pull_request_review_approved",
      "pull_request_review_rejected",
      "pull_request_review_comment",
    ]);
  });

  it("takes finer names as they are, each once, in the order of the catalogue", () => {
    expect(expandEvents(["push", "issue_label", "create", "push"])).toEqual([
      "create",
      "push",
      "issue_label",
    ]);
  });

  it("ignores names that it does not know", () => {
    expect(expandEvents(["push", "starred", "constructor"])).toEqual(["push"]);
    expect(expandEvents(["starred"])).toEqual([]);
  });

  it("gives back what it gave, except for the names that are groups", () => {
    const finer = eventTypes.filter((type) => type !== "issues" && type !== "pull_request");
    expect(expandEvents(finer)).toEqual(finer);
  });
});

describe("eventGroup", () => {
  it("groups as the headers of the family do", () => {
    expect(Object.fromEntries(eventTypes.map((type) => [type, eventGroup(type)]))).toEqual({
      create: "create",
      delete: "delete",
      fork: "fork",
      push: "push",
      issues: "issues",
      issue_assign: "issues",
      issue_label: "issues",
      issue_milestone: "issues",
      issue_comment: "issue_comment",
      pull_request: "pull_request",
      pull_request_assign: "pull_request",
      pull_request_label: "pull_request",
      pull_request_milestone: "pull_request",
      pull_request_comment: "issue_comment",
      pull_request_review_approved: "pull_request_approved",
      pull_request_review_rejected: "pull_request_rejected",
      pull_request_review_comment: "pull_request_comment",
      pull_request_sync: "pull_request",
      pull_request_review_request: "pull_request",
      wiki: "wiki",
      repository: "repository",
      release: "release",
      package: "package",
    });
  });
});
