import type { z } from "#zod";
import type { FileAnswer } from "./file-answer.ts";
import type { Listing, RowByRow } from "./paging.ts";

/**
 * The answer of an operation: a JSON value, a paged list of rows (as a member of that name when one is given, beside
 * the number of all as `total`; `hasTexts` when each carries long texts of people) or one of them, the same as `{ok,
 * data}`, a text, a file, or nothing.
 */
export type Returns =
  | { readonly json: z.ZodType }
  | {
      readonly list: z.ZodType;
      readonly under?: string;
      readonly total?: string;
      /** The name of the whole answer in the interface documents. */
      readonly named?: string;
      readonly hasTexts?: true;
    }
  | { readonly oneOrList: z.ZodType; readonly usually?: "list" }
  | { readonly text: true }
  | { readonly file: true }
  | { readonly search: z.ZodType<{ ok: boolean; data: readonly unknown[] }> }
  | { readonly html: true };

/** The values with which a handler gives such an answer. */
export type Answer<R extends Returns | undefined> = R extends { json: z.ZodType<infer T> }
  ? T
  : R extends { list: z.ZodType<infer T> }
    ? Listing<T> | RowByRow<T>
    : R extends { search: z.ZodType<{ data: readonly (infer T)[] }> }
      ? Listing<T>
      : R extends { oneOrList: z.ZodType<infer T> }
        ? T | Listing<T> | RowByRow<T>
        : R extends { html: true }
          ? string
          : R extends { text: true }
            ? string | Buffer
            : R extends { file: true }
              ? FileAnswer
              : undefined;

/** What an operation may also answer. */
export type OtherReturns =
  | { readonly status: number; readonly json: z.ZodType }
  | { readonly status: number; readonly text: true }
  | { readonly status: 204 };
