import { create, createFileRegistry, type FileRegistry } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";

/** The fields of a message, each by its number, as `type name`. `map<T>` has texts for keys. */
type Fields = Readonly<Record<number, string>>;

/** A package of the protocol buffers: a type in capitals is a message or an enum of it, or one of Google's. */
export interface ProtobufPackage {
  readonly name: string;
  readonly messages: Readonly<Record<string, Fields>>;
  readonly enums?: Readonly<Record<string, readonly string[]>>;
}

const scalars: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
  int32: FieldDescriptorProto_Type.INT32,
  int64: FieldDescriptorProto_Type.INT64,
  bool: FieldDescriptorProto_Type.BOOL,
};

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());

interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly label: FieldDescriptorProto_Label;
}

function fieldOf({ name: pack, enums = {} }: ProtobufPackage, { number, name, type, label }: Field) {
  const isNamed = scalars[type] === undefined;
  const named = type in enums ? FieldDescriptorProto_Type.ENUM : FieldDescriptorProto_Type.MESSAGE;
  const typeName = type.startsWith("google.") ? `.${type}` : `.${pack}.${type}`;
  return create(FieldDescriptorProtoSchema, {
    ...{ number, name, label, jsonName: camelCase(name), type: scalars[type] ?? named },
    ...(isNamed ? { typeName } : {}),
  });
}

function messageOf(pack: ProtobufPackage, name: string, fields: Fields): DescriptorProto {
  const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
  const message = create(DescriptorProtoSchema, { name });
  for (const [key, text] of Object.entries(fields)) {
    const [, repeated, value = "", type = "", field = ""] =
      /^(?:(repeated) )?(?:map<([\w.]+)>|([\w.]+)) (\w+)$/.exec(text) ?? [];
    const number = Number(key);
    if (value === "") {
      message.field.push(fieldOf(pack, { number, name: field, type, label: repeated ? REPEATED : OPTIONAL }));
      continue;
    }
    const entry = `${capitalized(field)}Entry`;
    message.nestedType.push(mapEntry(pack, entry, value));
    message.field.push(fieldOf(pack, { number, name: field, type: `${name}.${entry}`, label: REPEATED }));
  }
  return message;
}

function mapEntry(pack: ProtobufPackage, name: string, type: string): DescriptorProto {
  const label = FieldDescriptorProto_Label.OPTIONAL;
  const field: FieldDescriptorProto[] = [
    fieldOf(pack, { number: 1, name: "key", type: "string", label }),
    fieldOf(pack, { number: 2, name: "value", type, label }),
  ];
  return create(DescriptorProtoSchema, { name, field, options: { mapEntry: true } });
}

const known = [file_google_protobuf_struct, file_google_protobuf_timestamp, file_google_protobuf_wrappers];

/** The descriptions of a package's messages and enums. */
export function describeProtobuf(pack: ProtobufPackage): FileRegistry {
  const file = create(FileDescriptorProtoSchema, {
    ...{ name: `${pack.name.replaceAll(".", "/")}/messages.proto`, package: pack.name, syntax: "proto3" },
    dependency: known.map(({ proto }) => proto.name),
    messageType: Object.entries(pack.messages).map(([name, fields]) => messageOf(pack, name, fields)),
    enumType: Object.entries(pack.enums ?? {}).map(([name, values]) => ({
      name,
      value: values.map((value, number) => ({ name: value, number })),
    })),
  });
  return createFileRegistry(file, (name) => known.find(({ proto }) => proto.name === name));
}
