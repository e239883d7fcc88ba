/** A refusal in S3's terms: HTTP status, code and message as the SDK shows them. */
export class S3Error extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "S3Error";
    this.status = status;
    this.code = code;
  }
}

/** 501: real S3 may know it, this stand-in doesn't. `what` names the operation, header or parameter. */
export const notImplemented = (what: string) =>
  new S3Error(501, "NotImplemented", `The S3 stand-in does not implement ${what}.`);
/** 404 for an object. */
export const noSuchKey = () => new S3Error(404, "NoSuchKey", "The specified key does not exist.");
/** 404 for a multipart upload that is unknown, completed or aborted. */
export const noSuchUpload = () =>
  new S3Error(404, "NoSuchUpload", "The specified multipart upload does not exist.");
/** 400 for an argument out of its bounds. */
export const invalidArgument = (message: string) => new S3Error(400, "InvalidArgument", message);
/** 400 for a body that is not the XML the operation wants. */
export const malformedXml = () =>
  new S3Error(400, "MalformedXML", "The XML is not well-formed or not as expected.");
/** 507: nothing was stored. */
export const diskFull = () =>
  new S3Error(507, "InsufficientStorage", "The disk is full; nothing was stored.");
