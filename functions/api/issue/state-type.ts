import { z } from "#zod";

/** The state of an issue, a pull request or a milestone. */
export const StateType = z.enum(["open", "closed"]).openapi("StateType");
