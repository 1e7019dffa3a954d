/** Arrays in Postgres's binary format, copied without quoting or parsing. pg sends a Buffer as a binary parameter. */

const smallIntOid = 21;
const intOid = 23;
const textOid = 25;
const instantOid = 1184;
const uuidOid = 2950;
/** Dimensions, null flag, element type, length, lower bound. */
const headBytes = 20;
const lengthBytes = 4;
const uuidBytes = 16;
/** Start of Postgres's time scale, in microseconds since 1970. */
const microsUntil2000 = Date.UTC(2000, 0, 1) * 1000;

/**
 * Reused buffer that results are copied from. Larger arrays get a buffer of their own, so that no large buffer is kept.
 */
const scratch = Buffer.allocUnsafeSlow(1024 * 1024);

/** @param values texts with any content but NUL, which a Postgres text cannot hold */
export function textArrayBytes(values: readonly (string | null)[]): Buffer {
  let most = headBytes;
  for (const value of values) most += lengthBytes + (value === null ? 0 : value.length * 3);
  const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
  let end = writeHead(bytes, textOid, values);
  for (const value of values) {
    const length = value === null ? -1 : bytes.write(value, end + lengthBytes, 'utf8');
    bytes.writeInt32BE(length, end);
    end += lengthBytes + Math.max(0, length);
  }
  return bytes === scratch ? Buffer.from(bytes.subarray(0, end)) : bytes.subarray(0, end);
}

/** @param values uuids as Postgres prints them: 36 characters */
export function uuidArrayBytes(values: readonly (string | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + values.length * (lengthBytes + uuidBytes));
  let end = writeHead(bytes, uuidOid, values);
  for (const value of values) {
    bytes.writeInt32BE(value === null ? -1 : uuidBytes, end);
    end += lengthBytes;
    if (value !== null) end = writeUuid(bytes, value, end);
  }
  return bytes.subarray(0, end);
}

/** @param values whole numbers from -32,768 to 32,767 */
export function smallIntArrayBytes(values: readonly (number | null)[]): Buffer {
  return numberArrayBytes(values, smallIntOid, 2, (bytes, value, at) => bytes.writeInt16BE(value, at));
}

/** @param values 32-bit integers */
export function intArrayBytes(values: readonly (number | null)[]): Buffer {
  return numberArrayBytes(values, intOid, 4, (bytes, value, at) => bytes.writeInt32BE(value, at));
}

/** @param values whole microseconds since 1970, exact within the range of safe integers */
export function instantArrayBytes(values: readonly (number | null)[]): Buffer {
  return numberArrayBytes(values, instantOid, 8, (bytes, value, at) => {
    const since2000 = value - microsUntil2000;
    const high = Math.floor(since2000 / 2 ** 32);
    bytes.writeInt32BE(high, at);
    bytes.writeUInt32BE(since2000 - high * 2 ** 32, at + 4);
  });
}

function numberArrayBytes(
  values: readonly (number | null)[],
  oid: number,
  width: number,
  write: (bytes: Buffer, value: number, at: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + values.length * (lengthBytes + width));
  let end = writeHead(bytes, oid, values);
  for (const value of values) {
    bytes.writeInt32BE(value === null ? -1 : width, end);
    end += lengthBytes;
    if (value === null) continue;
    write(bytes, value, end);
    end += width;
  }
  return bytes.subarray(0, end);
}

function writeHead(bytes: Buffer, oid: number, values: readonly (string | number | null)[]): number {
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16);
  return headBytes;
}

const hexDigits = new Uint8Array(128);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  hexDigits[digit.charCodeAt(0)] = value;
  hexDigits[digit.toUpperCase().charCodeAt(0)] = value;
}
const dash = 45;

function writeUuid(bytes: Buffer, uuid: string, at: number): number {
  let end = at;
  for (let place = 0; place < uuid.length; place += 2) {
    if (uuid.charCodeAt(place) === dash) place++;
    const high = hexDigits[uuid.charCodeAt(place)] ?? 0;
    const low = hexDigits[uuid.charCodeAt(place + 1)] ?? 0;
    bytes[end++] = (high << 4) | low;
  }
  if (end !== at + uuidBytes) throw new Error(`${JSON.stringify(uuid)} is no uuid`);
  return end;
}

/** Elements of an array without nulls, in the format of `array_send`. */
export interface BinaryArray<Element> {
  readonly length: number;
  at(place: number): Element;
  isSame(place: number, other: number): boolean;
}

export function uuidsIn(array: Buffer): BinaryArray<string> {
  const textAt = (from: number) => {
    const hex = array.toString('hex', from, from + uuidBytes);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
  return elementsIn(array, uuidBytes, textAt);
}

/** Microseconds since 1970 of each `timestamptz`. */
export function instantsIn(array: Buffer): BinaryArray<number> {
  return elementsIn(
    array,
    8,
    (from) => array.readInt32BE(from) * 2 ** 32 + array.readUInt32BE(from + 4) + microsUntil2000,
  );
}

function elementsIn<Element>(array: Buffer, bytes: number, read: (from: number) => Element): BinaryArray<Element> {
  const from = (place: number) => headBytes + place * (lengthBytes + bytes) + lengthBytes;
  return {
    length: array.readInt32BE(12),
    at: (place) => read(from(place)),
    isSame: (place, other) =>
      array.compare(array, from(other), from(other) + bytes, from(place), from(place) + bytes) === 0,
  };
}
