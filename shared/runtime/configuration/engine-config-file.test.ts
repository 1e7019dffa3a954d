import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from './configuration-error.ts';
import { authorizationOf, checkSecrets, readEngineConfig } from './engine-config-file.ts';

const reward = { url: 'http://rewards.test/v1/batches', class: 'A' };
const valid = {
  countries: ['SG', 'ID'],
  segmentation: { url: 'http://segments.test' },
  actionTypes: { 'award-reward': reward },
};

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-config-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the problems of a file without the file's name. */
function problemsOf(content: unknown, environment: NodeJS.ProcessEnv = {}): string[] {
  const path = join(folder, 'engine.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  try {
    readEngineConfig({ ...environment, MUSTER_CONFIG: path });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map((line) => line.replace(`${path}: `, ''));
  }
  return [];
}

describe("the engine's configuration file", () => {
  it('is accepted if it is valid', () => {
    expect(problemsOf(valid)).toEqual([]);
  });

  it('is accepted with a byte order mark', () => {
    expect(problemsOf(`\ufeff${JSON.stringify(valid)}`)).toEqual([]);
  });

  it('has each problem reported on its own line', () => {
    expect(problemsOf({ ...valid, segmentation: undefined, partitionsPerShard: 0, partitionsPerShards: 3 })).toEqual([
      'segmentation is not set: it has to be an object',
      'partitionsPerShard has to be at least 1, not 0',
      'partitionsPerShards is not known here; known are countries, segmentation, actionTypes, partitionsPerShard, replicationFactor',
    ]);
    expect(problemsOf({ ...valid, actionTypes: { 'Award Reward': reward } })).toEqual([
      'actionTypes has to have names in small letters, with digits and - between them, such as award-reward, not "Award Reward"',
    ]);
    expect(problemsOf({ ...valid, actionTypes: { 'award-reward': { ...reward, class: 'E' } } })).toEqual([
      'actionTypes.award-reward.class has to be A or B or C or D, not "E"',
    ]);
    expect(problemsOf([])).toEqual(['the file has to be an object, not a list']);
  });

  it('is refused if it names a service address that egress rules forbid', () => {
    const url = 'http://169.254.169.254/latest';
    const types = {
      'award-reward': { ...reward, class: 'C', statusUrl: 'http://[fd00:ec2::254]/', appliesLateSeconds: 20 },
    };
    expect(problemsOf({ ...valid, segmentation: { url }, actionTypes: types })).toEqual([
      'segmentation.url "http://169.254.169.254/latest" may not be called: 169.254.169.254 is never called',
      'actionTypes.award-reward.statusUrl "http://[fd00:ec2::254]/" may not be called: fd00:ec2::254 is never called',
    ]);
    const paramsSchema = { properties: { id: { type: 'string', 'x-options': '//169.254.169.254/' } } };
    expect(problemsOf({ ...valid, actionTypes: { 'award-reward': { ...reward, paramsSchema } } })).toEqual([
      'actionTypes.award-reward.paramsSchema.properties.id.x-options "http://169.254.169.254/" may not be called: 169.254.169.254 is never called',
    ]);
    expect(problemsOf(valid, { MUSTER_EGRESS_ALLOW: 'segments.test,*.svc' })).toEqual([
      'actionTypes.award-reward.url "http://rewards.test/v1/batches" may not be called: no rule of MUSTER_EGRESS_ALLOW names rewards.test with port 80',
    ]);
  });

  it('must declare statusUrl and appliesLateSeconds for class C and for no other class', () => {
    const ofType = (type: object) => problemsOf({ ...valid, actionTypes: { 'award-reward': { ...reward, ...type } } });
    const statusUrl = 'http://rewards.test/v1/status';
    expect(ofType({ class: 'C' })).toEqual([
      'actionTypes.award-reward.statusUrl is not set: is required for class C: the endpoint that reports the outcome of users',
      'actionTypes.award-reward.appliesLateSeconds is not set: is required for class C: how long after its end a call may still be applied',
    ]);
    expect(ofType({ class: 'C', statusUrl, appliesLateSeconds: 9, timeoutMs: 10_000 })).toEqual([
      'actionTypes.award-reward.appliesLateSeconds has to be at least the time-out, 10000 ms, not 9',
    ]);
    expect(ofType({ class: 'C', statusUrl, appliesLateSeconds: 10, timeoutMs: 10_000 })).toEqual([]);
    expect(ofType({ class: 'D', statusUrl })).toEqual(['actionTypes.award-reward.statusUrl is only for class C']);
  });

  it('is refused if an action type without receipts names a receipts secret', () => {
    const ofType = (type: object) => problemsOf({ ...valid, actionTypes: { 'send-message': { ...reward, ...type } } });
    const receiptsSecretEnv = 'MESSAGES_RECEIPTS_SECRET';
    const refused =
      'actionTypes.send-message.receiptsSecretEnv names MESSAGES_RECEIPTS_SECRET, and is only for action types with "receipts": true';
    expect(ofType({ receiptsSecretEnv })).toEqual([refused]);
    expect(ofType({ receiptsSecretEnv, receipts: false })).toEqual([refused]);
    expect(ofType({ receiptsSecretEnv, receipts: true })).toEqual([]);
    expect(ofType({ receipts: true })).toEqual([]);
  });

  it('is refused if it names a country twice', () => {
    expect(problemsOf({ ...valid, countries: ['SG', 'ID', 'SG'] })).toEqual(['countries names SG more than once']);
  });

  it('is refused if a URL holds a password, and the password is not printed', () => {
    const segmentation = { url: 'http://user:geheim@segments.test/' };
    expect(problemsOf({ ...valid, segmentation })).toEqual([
      'segmentation.url must not contain user and password: set authorizationEnv to the name of a variable with the whole header',
    ]);
    const wrong = problemsOf({ ...valid, segmentation: { url: 'ftp://user:geheim@segments.test/' } });
    expect(wrong[0]).toBe('segmentation.url has to be an http:// or https:// URL, not "ftp://user:***@segments.test/"');
  });

  it('is reported with the name of its variable if the file is missing or is not JSON', () => {
    expect(() => readEngineConfig({ MUSTER_CONFIG: '/nowhere.json' })).toThrow(
      'MUSTER_CONFIG=/nowhere.json: there is no such file',
    );
    expect(problemsOf('{')[0]).toMatch(/^MUSTER_CONFIG=is no JSON: /);
    // Each problem is one line.
    expect(problemsOf('# Muster\n\nMuster carries out')).toEqual([
      expect.stringMatching(/^MUSTER_CONFIG=is no JSON: .* is not valid JSON$/),
    ]);
  });
});

describe('the secrets that the configuration file names', () => {
  const services = [{ authorizationEnv: 'SEGMENTS_AUTHORIZATION' }, {}, { authorizationEnv: 'REWARDS_AUTHORIZATION' }];

  it('are reported in one error if several are not set', () => {
    expect(() => checkSecrets(services, {})).toThrow(
      'SEGMENTS_AUTHORIZATION is not set, and authorizationEnv names it\nREWARDS_AUTHORIZATION is not set, and authorizationEnv names it',
    );
  });

  it('may be read from files', () => {
    const path = join(folder, 'secret');
    writeFileSync(path, 'Bearer abc\n');
    const environment = { SEGMENTS_AUTHORIZATION_FILE: path };
    expect(authorizationOf({ authorizationEnv: 'SEGMENTS_AUTHORIZATION' }, environment)).toBe('Bearer abc');
  });
});
