import { usageOf } from "#core/usage/usage";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";
import { productVersion } from "./version.ts";

const ServerVersion = z.object({ version: z.string(), product_version: z.string() }).openapi("ServerVersion");

const getVersion = endpoint({
  id: "getVersion",
  tag: "miscellaneous",
  method: "get",
  path: "/version",
  summary: "The compatibility level, and the product's own version",
  needs: {},
  status: 200,
  returns: { json: ServerVersion },
  errors: [],
  handle: async ({ forge }) => ({
    version: forge.config.compatibilityVersion,
    product_version: productVersion,
  }),
});

const NodeInfo = z
  .object({
    version: z.string(),
    software: z
      .object({ name: z.string(), version: z.string(), repository: z.string(), homepage: z.string() })
      .openapi("NodeInfoSoftware"),
    protocols: z.array(z.string()),
    services: z
      .object({ inbound: z.array(z.string()), outbound: z.array(z.string()) })
      .openapi("NodeInfoServices"),
    openRegistrations: z.boolean(),
    usage: z
      .object({
        users: z
          .object({ total: z.int(), activeHalfyear: z.int(), activeMonth: z.int() })
          .openapi("NodeInfoUsageUsers"),
        localPosts: z.int(),
        localComments: z.int(),
      })
      .openapi("NodeInfoUsage"),
    metadata: z.object({}),
  })
  .openapi("NodeInfo");

const getNodeInfo = endpoint({
  id: "getNodeInfo",
  tag: "miscellaneous",
  method: "get",
  path: "/nodeinfo",
  summary: "Node information of this instance (NodeInfo 2.1)",
  description:
    "Counted at most every three minutes. Accounts are exact; active are those that were used by name and password or a " +
    "token, counted by days. Posts (issues and pull requests) and comments are those of the 1,000 repositories that were " +
    "updated last.",
  needs: {},
  status: 200,
  returns: { json: NodeInfo },
  errors: [],
  handle: async ({ forge }) => {
    const { users, posts, comments, ...active } = await usageOf(forge);
    return {
      version: "2.1",
      software: {
        name: "coldforge",
        version: productVersion,
        repository: "",
        homepage: forge.config.rootUrl,
      },
      protocols: [],
      services: { inbound: [], outbound: [] },
      openRegistrations: false,
      usage: { users: { total: users, ...active }, localPosts: posts, localComments: comments },
      metadata: {},
    };
  },
});

export const miscellaneousEndpoints = [getVersion, getNodeInfo];
