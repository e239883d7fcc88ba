import { z } from "#zod";
import { dateTime, givenDateTime } from "../../http/timestamps.ts";
import { StateType } from "../issue/state-type.ts";

export const Milestone = z
  .object({
    id: z.int(),
    title: z.string(),
    description: z.string(),
    state: StateType,
    open_issues: z.int(),
    closed_issues: z.int(),
    created_at: dateTime,
    updated_at: dateTime.nullable(),
    closed_at: dateTime.nullable(),
    due_on: dateTime.nullable(),
  })
  .openapi("Milestone");
export type MilestoneJson = z.infer<typeof Milestone>;

const settings = {
  description: z.string().optional(),
  due_on: givenDateTime.optional(),
  state: z.string().optional().openapi({ description: "closed; anything else is open" }),
};

export const CreateMilestoneOption = z
  .object({ title: z.string().min(1), ...settings })
  .openapi("CreateMilestoneOption");

export const EditMilestoneOption = z
  .object({ title: z.string().optional(), ...settings })
  .openapi("EditMilestoneOption");
export type EditMilestoneOptionJson = z.infer<typeof EditMilestoneOption>;
