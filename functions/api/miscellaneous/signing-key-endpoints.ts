import { notFound } from "#core/errors";
import { endpoint } from "../../http/endpoint.ts";

/** The service signs nothing by itself: its key is empty (semantics §69). */
const noKey = "";

const getSigningKey = endpoint({
  id: "getSigningKey",
  tag: "miscellaneous",
  method: "get",
  path: "/signing-key.gpg",
  summary: "Get the GPG key that the service signs with",
  description: "Empty: it signs nothing by itself.",
  needs: {},
  status: 200,
  returns: { text: true },
  errors: [],
  handle: async () => noKey,
});

const getSigningKeySSH = endpoint({
  id: "getSigningKeySSH",
  tag: "miscellaneous",
  method: "get",
  path: "/signing-key.pub",
  summary: "Get the SSH key that the service signs with",
  description: "Empty: it signs nothing by itself.",
  needs: {},
  status: 200,
  returns: { text: true },
  errors: [],
  handle: async () => noKey,
});

const getSSHSigningKey = endpoint({
  id: "getSSHSigningKey",
  tag: "miscellaneous",
  method: "get",
  path: "/signing-key.ssh",
  summary: "Get the SSH key that the service signs with, or learn that there is none",
  needs: {},
  status: 200,
  returns: { text: true },
  errors: [404],
  handle: async () => {
    throw notFound("this service signs nothing by itself, so it has no key");
  },
});

const repoSigningKey = endpoint({
  id: "repoSigningKey",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/signing-key.gpg",
  summary: "Get the GPG key that the service signs with in a repository",
  description: "Empty: it signs nothing by itself.",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { text: true },
  errors: [403, 404],
  handle: async () => noKey,
});

const repoSigningKeySSH = endpoint({
  id: "repoSigningKeySSH",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/signing-key.pub",
  summary: "Get the SSH key that the service signs with in a repository",
  description: "Empty: it signs nothing by itself.",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  status: 200,
  returns: { text: true },
  errors: [403, 404],
  handle: async () => noKey,
});

export const signingKeyEndpoints = [
  getSigningKey,
  getSigningKeySSH,
  getSSHSigningKey,
  repoSigningKey,
  repoSigningKeySSH,
];
