import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKafkaSecurity } from './kafka-security.ts';

const pem = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
const sasl = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'muster', KAFKA_SASL_PASSWORD: 'geheim' };

let folder: string;
let pemFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-kafka-'));
  pemFile = join(folder, 'ca.pem');
  writeFileSync(pemFile, pem);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("Kafka's TLS and SASL", () => {
  it('are off by default', () => {
    expect(readKafkaSecurity({})).toBeUndefined();
    expect(readKafkaSecurity({ KAFKA_TLS: 'false' })).toBeUndefined();
  });

  it("trust the system's authorities or those of a CA file, and any TLS file switches TLS on", () => {
    expect(readKafkaSecurity({ KAFKA_TLS: 'true' })).toEqual({ tls: {} });
    expect(readKafkaSecurity({ KAFKA_TLS_CA_FILE: pemFile })).toEqual({ tls: { ca: pem } });
    const own = { KAFKA_TLS_CERT_FILE: pemFile, KAFKA_TLS_KEY_FILE: pemFile };
    expect(readKafkaSecurity(own)).toEqual({ tls: { cert: pem, key: pem } });
  });

  it('may take the password from a file', () => {
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'geheim\n');
    const expected = { sasl: { mechanism: 'scram-sha-512', username: 'muster', password: 'geheim' } };
    expect(readKafkaSecurity(sasl)).toEqual(expected);
    const { KAFKA_SASL_PASSWORD: _password, ...rest } = sasl;
    expect(readKafkaSecurity({ ...rest, KAFKA_SASL_PASSWORD_FILE: passwordFile })).toEqual(expected);
  });

  it('are refused if a setting is missing, contradicts another or cannot be read', () => {
    expect(() => readKafkaSecurity({ KAFKA_SASL_USERNAME: 'muster' })).toThrow(/belong together: set all or none/);
    expect(() => readKafkaSecurity({ KAFKA_TLS_CERT_FILE: pemFile })).toThrow(/belong together: set both or neither/);
    expect(() => readKafkaSecurity({ KAFKA_TLS: 'false', KAFKA_TLS_CA_FILE: pemFile })).toThrow(/KAFKA_TLS is false/);
    expect(() => readKafkaSecurity({ KAFKA_TLS_CA_FILE: '/nowhere' })).toThrow(
      'KAFKA_TLS_CA_FILE=/nowhere: there is no such file',
    );
    const noPem = join(folder, 'no.pem');
    writeFileSync(noPem, 'x');
    expect(() => readKafkaSecurity({ KAFKA_TLS_CA_FILE: noPem })).toThrow(/has to be a PEM file/);
    expect(() => readKafkaSecurity({ ...sasl, KAFKA_SASL_MECHANISM: 'gssapi' })).toThrow(/plain or scram-sha-256/);
  });
});
