import type { GpgKey, GpgKeyPart } from "#core/gpg-key/gpg-key.table";
import { timestamp, unsetTimestamp } from "../../http/timestamps.ts";
import type { GPGKeyJson } from "./schema.ts";

/** A key as everybody may see it; `activated` are the addresses of its owner, in lower case. */
export function presentGpgKey(key: GpgKey, activated: ReadonlySet<string>): GPGKeyJson {
  return {
    ...presentPart(key, key),
    primary_key_id: "",
    emails: key.emails.map((email) => ({ email, verified: activated.has(email.toLowerCase()) })),
    subkeys: key.subkeys.map((subkey) => ({
      ...presentPart(key, subkey),
      primary_key_id: key.keyId,
      emails: [],
      subkeys: [],
    })),
  };
}

const presentPart = ({ id, isVerified }: GpgKey, part: GpgKeyPart) => ({
  id,
  key_id: part.keyId,
  public_key: Buffer.from(part.packet).toString("base64"),
  can_sign: part.canSign,
  can_encrypt_comms: part.canEncryptComms,
  can_encrypt_storage: part.canEncryptStorage,
  can_certify: part.canCertify,
  verified: isVerified,
  created_at: timestamp(part.createdAt),
  expires_at: part.expiresAt === 0 ? unsetTimestamp : timestamp(part.expiresAt),
});
