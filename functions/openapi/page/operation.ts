import { escapeHtml } from "#core/escape-html";
import type { DocumentedOperation, DocumentedResponse, JsonSchema, OpenApiDocument } from "../openapi.ts";
import { exampleBody, fieldList, resolved, typeWords } from "./schemas.ts";

type Parameter = NonNullable<DocumentedOperation["parameters"]>[number];

/** One operation of the document. */
export interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

/** An operation: what it is and answers, and a form that sends it. It is shown when its line is opened. */
export function operationSection(document: OpenApiDocument, { method, path, operation }: Listed): string {
  const { operationId, summary, description, deprecated } = operation;
  const note = deprecated === true ? " (deprecated)" : "";
  return `<details class="operation" id="${escapeHtml(operationId)}"><summary><code class="m">${method}</code> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}${note}</span></summary>
${description === undefined ? "" : `<p>${escapeHtml(description)}`}
<form data-method="${method}" data-path="${escapeHtml(path)}">
${(operation.parameters ?? []).map(parameterField).join("\n")}
${bodyFields(document, operation)}
<button class="live">Send</button>
</form>
<p>Answers ${answers(operation.responses)}</p></details>`;
}

/** A parameter, with where it goes in `data-in`. */
function parameterField({ name, in: place, required = false, schema }: Parameter): string {
  const list = [schema.type].flat().includes("array");
  const hint = typeof schema.description === "string" ? schema.description : "";
  const words = [
    typeWords(schema),
    ...(required ? ["required"] : []),
    ...(list ? ["separated by commas"] : []),
  ];
  const attributes = `name="${escapeHtml(name)}" data-in="${place}"${required ? " required" : ""}${list ? " data-list" : ""}`;
  const shown = `<code>${escapeHtml(name)}</code> <i>${words.join(", ")}</i> ${escapeHtml(hint)}`;
  return `<label>${shown}${inputOf(schema, attributes)}</label>`;
}

function inputOf(schema: JsonSchema, attributes: string): string {
  const options = schema.type === "boolean" ? ["true", "false"] : (schema.enum as unknown[] | undefined);
  if (options === undefined) return `<input ${attributes} autocomplete="off" spellcheck="false">`;
  const rest = options.map((one) => `<option>${escapeHtml(String(one))}</option>`).join("");
  return `<select ${attributes}><option value=""></option>${rest}</select>`;
}

/** The body: a text to write, or the fields of a form with a file. */
function bodyFields(document: OpenApiDocument, { requestBody, operationId }: DocumentedOperation): string {
  if (requestBody === undefined) return "";
  const { content } = requestBody;
  const form = content["multipart/form-data"]?.schema;
  if (form !== undefined) return formFields(form);
  const [type = "", { schema } = { schema: {} }] = Object.entries(content)[0] ?? [];
  const isJson = type === "application/json";
  const example = isJson ? JSON.stringify(exampleBody(document, schema), null, 2) : "";
  const rows = Math.min(12, example.split("\n").length + 2);
  const id = escapeHtml(`body-${operationId}`);
  return `<label for="${id}">Body <i>${typeWords(schema)}</i></label>
<textarea id="${id}" data-in="body" data-type="${escapeHtml(type)}" rows="${rows}" spellcheck="false">${escapeHtml(example)}</textarea>
${isJson ? fieldList(resolved(document, schema)) : ""}`;
}

const formFields = ({ properties = {} }: JsonSchema): string =>
  Object.entries(properties as Record<string, JsonSchema>)
    .map(([name, { format, description = "" }]) => {
      const type = format === "binary" ? ' type="file"' : "";
      return `<label><code>${escapeHtml(name)}</code> ${escapeHtml(String(description))}<input${type} name="${escapeHtml(name)}" data-in="form"></label>`;
    })
    .join("\n");

/** What it answers when it does what was asked, and the statuses of its refusals. */
function answers(responses: Readonly<Record<string, DocumentedResponse>>): string {
  const done = Object.entries(responses).filter(([status]) => Number(status) < 300);
  const refusals = Object.keys(responses).filter((status) => Number(status) >= 400);
  const words = done.map(([status, { content = {} }]) => {
    const [schema] = Object.values(content).map((one) => one.schema);
    return `<code>${status}</code>${schema === undefined ? "" : ` ${typeWords(schema)}`}`;
  });
  return `${words.join(" or ")}; <a href="#errors">refuses</a> with ${refusals.join(", ")}.`;
}
