import { defined } from "#core/defined";
import { isDemandedInFamily, isTextInFamily, wordsInFamily } from "./family-form.ts";
import type { DocumentedOperation, JsonSchema } from "./openapi.ts";
import { schemaOf } from "./swagger-schema.ts";

type Parameter = NonNullable<DocumentedOperation["parameters"]>[number];

interface SwaggerParameter {
  readonly name: string;
  readonly in: string;
  readonly [keyword: string]: unknown;
}

/** A parameter of the path, the query or a header in Swagger 2. */
export function parameterOf({ schema, ...parameter }: Parameter, route: string): SwaggerParameter {
  const form = schemaOf(schema);
  if (isTextInFamily(route, parameter.name)) {
    const { items: _items, format: _format, ...text } = form;
    return { ...parameter, ...text, type: "string" };
  }
  return {
    ...parameter,
    ...form,
    ...defined({ enum: wordsInFamily(route, parameter.name) ?? form.enum }),
    ...(isDemandedInFamily(route, parameter.name) ? { required: true } : {}),
    ...(form.type === "array" ? { collectionFormat: "multi" } : {}),
  };
}

/** The parameters that stand for a body: one, or each field of a form. */
export function bodyParametersOf({
  content,
  required = false,
}: NonNullable<DocumentedOperation["requestBody"]>): readonly SwaggerParameter[] {
  const form = content["multipart/form-data"];
  if (form !== undefined) return formParametersOf(form.schema);
  const [body] = Object.values(content);
  return body === undefined ? [] : [{ in: "body", name: "body", required, schema: schemaOf(body.schema) }];
}

function formParametersOf(schema: JsonSchema): readonly SwaggerParameter[] {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, field]) => {
    const isFile = field.format === "binary";
    const { description, ...form } = schemaOf(field);
    return {
      ...{ name, in: "formData", required: required.includes(name) },
      ...defined({ description }),
      ...(isFile ? { type: "file" } : form),
    };
  });
}
