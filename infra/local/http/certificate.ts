import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { StartError } from "../start-error.ts";

/** The certificate for TLS: the PEM texts of the chain and of its key. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads both files and checks that they are valid and belong together. Throws StartError. */
export function readCertificate(certificatePath: string, keyPath: string): Certificate {
  const cert = read("TLS_CERT", certificatePath);
  const key = read("TLS_KEY", keyPath);
  const certificate = parse("TLS_CERT", certificatePath, "certificate", () => new X509Certificate(cert));
  const privateKey = parse("TLS_KEY", keyPath, "private key without a passphrase", () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StartError(
      `setting TLS_KEY: the key in ${keyPath} is not that of the first certificate in ${certificatePath}. ` +
        "Give the key that the certificate was made for, and put the server's own certificate first in its file.",
    );
  }
  return { cert, key };
}

function read(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartError(`setting ${variable}: can't read ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function parse<T>(variable: string, path: string, expected: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new StartError(
      `setting ${variable}: ${path} holds no ${expected} in PEM. ` +
        "TLS_CERT names the certificate's file, TLS_KEY the key's: are the two swapped?",
      { cause: error },
    );
  }
}
