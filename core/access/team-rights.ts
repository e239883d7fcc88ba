import { type AccessMode, type AccessModeName, accessMode, unitNames } from "./modes.ts";

/** The grants of one team to its members, from its organization's access list. */
export interface TeamRights {
  readonly id: number;
  readonly mode: AccessMode;
  /** By the place of the unit in `unitNames`. */
  readonly units: readonly AccessMode[];
  readonly includesAll: boolean;
  readonly mayCreateRepositories: boolean;
}

/** The parts of a team's rights, by name. */
export interface NamedTeamRights extends Pick<TeamRights, "id" | "includesAll" | "mayCreateRepositories"> {
  readonly mode: AccessModeName;
  readonly units: Readonly<Partial<Record<string, AccessModeName>>>;
}

const format = 1;
const rowBytes = 10;
const modeBits = 3;
const modeMask = 7;
const includesAllFlag = 8;
const mayCreateFlag = 16;

/** The rights of a team as they are packed. */
export function teamRightsOf(team: NamedTeamRights): TeamRights {
  return {
    id: team.id,
    mode: accessMode[team.mode],
    units: unitNames.map((name) => accessMode[team.units[name] ?? "none"]),
    includesAll: team.includesAll,
    mayCreateRepositories: team.mayCreateRepositories,
  };
}

/** A format byte, then for each team: id (32 bits), mode and flags (16), three bits for each unit (32). */
export function packTeams(teams: readonly TeamRights[]): Buffer {
  const bytes = Buffer.alloc(1 + rowBytes * teams.length);
  bytes[0] = format;
  teams.forEach((team, place) => {
    const at = 1 + rowBytes * place;
    const flags = (team.includesAll ? includesAllFlag : 0) | (team.mayCreateRepositories ? mayCreateFlag : 0);
    bytes.writeUInt32BE(team.id, at);
    bytes.writeUInt16BE(team.mode | flags, at + 4);
    bytes.writeUInt32BE(
      team.units.reduce<number>((bits, mode, unit) => bits | (mode << (modeBits * unit)), 0),
      at + 6,
    );
  });
  return bytes;
}

/** The teams of a packed list; none when there is no list. Throws when its format is unknown. */
export function unpackTeams(packed: Uint8Array | undefined): TeamRights[] {
  if (packed === undefined) return [];
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes[0] !== format) throw new Error(`an access list has the unknown format ${bytes[0]}`);
  const count = (bytes.length - 1) / rowBytes;
  return Array.from({ length: count }, (_, place) => {
    const at = 1 + rowBytes * place;
    const flags = bytes.readUInt16BE(at + 4);
    const units = bytes.readUInt32BE(at + 6);
    return {
      id: bytes.readUInt32BE(at),
      mode: (flags & modeMask) as AccessMode,
      units: unitNames.map((_name, unit) => ((units >>> (modeBits * unit)) & modeMask) as AccessMode),
      includesAll: (flags & includesAllFlag) !== 0,
      mayCreateRepositories: (flags & mayCreateFlag) !== 0,
    };
  });
}
