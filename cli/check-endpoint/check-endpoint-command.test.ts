import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { createTestTerminal } from '../frame/test-terminal.ts';
import { runProgram } from '../program.ts';
import { sandboxForEach, signing } from './test-sandbox.ts';

const startSandbox = sandboxForEach();

describe('muster check-endpoint', () => {
  async function muster(...args: string[]) {
    const terminal = createTestTerminal();
    const onInterrupt = () => new AbortController().signal;
    const context = { terminal, environment: { TOKEN: 'Bearer x' }, input: Readable.from([]), onInterrupt };
    const code = await runProgram(['check-endpoint', ...args], context);
    return { code, ...terminal.written };
  }

  it('exits with 0 and prints each check', async () => {
    const url = await startSandbox('D');
    const { code, out } = await muster(`${url}/batches`, '--class', 'D', '--authorization-env', 'TOKEN');
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('✔ a call with one user\n');
    expect(out).toContain('keeps the contract of class D, as far as it was played\n');
  });

  it('checks the segment list and the pages of a segmentation service', async () => {
    const segments = { SANDBOX_SEGMENTS: 'riders=3000,drivers=10,staff=2' };
    const base = (await startSandbox('D', segments)).replace(/\/rewards\/v1$/, '/segmentation');
    const { code, out } = await muster(base, '--segmentation', '--segment', 'riders');
    expect(out).toContain('✔ the list of segments, page by page, or 404 or 501 where there is none\n');
    expect(out).toContain('✔ its first pages, in strictly ascending byte order\n');
    expect(out).toContain('keeps the contract of segmentation services, as far as it was played\n');
    expect(code).toBe(exitCodes.ok);
    const other = await muster(base, '--segmentation', '--segment', 'nobody');
    expect(other.out).toContain('✖ the description of nobody in SG\n    HTTP 404: there is no segment nobody\n');
    expect(other.code).toBe(exitCodes.endpointBroken);
  });

  it('checks the option lists that --options names', async () => {
    const url = await startSandbox('A');
    const { code, out } = await muster(`${url}/batches`, '--class', 'A', '--options', '/rewards/v1/options');
    expect(out).toContain('✔ the options of its parameters: at most as many as asked for, found by a search\n');
    expect(code).toBe(exitCodes.ok);
  });

  it('accepts a segmentation service without a list of segments', async () => {
    const url = (await startSandbox('D')).replace(/\/rewards\/v1$/, '/nothing');
    const { code, out } = await muster(url, '--segmentation');
    expect(out).toContain('offers no list of segments');
    expect(code).toBe(exitCodes.ok);
  });

  it('signs its calls with the secret from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-check-'));
    const file = join(folder, 'signing');
    writeFileSync(file, `${signing}\n`);
    const url = await startSandbox('D', { SANDBOX_SIGNING_SECRET: signing });
    const { code, out } = await muster(`${url}/batches`, '--class', 'D', '--signing-secret-file', file);
    rmSync(folder, { recursive: true });
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('✔ a call that somebody else signed, refused with 401 or 403\n');
  });

  it('exits with 6 and prints the failed check if the endpoint breaks its contract', async () => {
    const url = await startSandbox('D');
    const { code, out } = await muster(`${url}/nowhere`, '--class', 'D');
    expect(code).toBe(exitCodes.endpointBroken);
    expect(out).toContain(
      '✖ a call with one user\n    a call with 1 user was answered 405 Method Not Allowed: is this the address',
    );
  });

  it('prints the checks as JSON with --json', async () => {
    const url = await startSandbox('D');
    const terminal = createTestTerminal();
    const onInterrupt = () => new AbortController().signal;
    const args = ['--json', 'check-endpoint', `${url}/nowhere`, '--class', 'D'];
    await runProgram(args, { terminal, environment: {}, input: Readable.from([]), onInterrupt });
    expect(JSON.parse(terminal.written.out)).toMatchObject({
      passed: false,
      class: 'D',
      checks: [{ name: 'one-user', passed: false }],
    });
  });

  it.each<[string, string[], string]>([
    ['no URL', ['rewards', '--class', 'A'], 'is no http:// or https:// URL'],
    ['class C without a status URL', ['http://x', '--class', 'C'], 'class C needs --status-url'],
    ['a status URL of another class', ['http://x', '--class', 'A', '--status-url', 'http://y'], 'is for class C'],
    ['a malformed options URL', ['http://x', '--class', 'A', '--options', 'ftp://y/'], 'no http:// or https:// URL'],
    ['parameters that are not an object', ['http://x', '--class', 'A', '--params', '[1]'], 'has to be a JSON object'],
    ['an unset variable', ['http://x', '--class', 'A', '--authorization-env', 'NOWHERE'], 'NOWHERE is not set'],
    ['a missing secret file', ['http://x', '--class', 'A', '--signing-secret-file', '/nowhere'], 'no such file'],
    ['an unknown class', ['http://x', '--class', 'E'], 'Allowed choices are A, B, C, D'],
    ['a batch size of zero', ['http://x', '--class', 'A', '--batch-size', '0'], 'from 1 to 1000'],
  ])('rejects %s before the first call', async (_name, args, message) => {
    const { code, notes } = await muster(...args);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain(message);
  });
});
