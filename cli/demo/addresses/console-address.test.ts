import { expect, test } from 'vitest';
import { createPaint } from '../../show/paint.ts';
import { describeConsole } from './console-address.ts';

const installation = { apiUrl: 'http://127.0.0.1:8080', apiKey: 'muster_key' };
const link = { link: 'abc', url: 'http://127.0.0.1:8080/log-in#link=abc', expiresAt: '2026-11-23T10:00:00.000Z' };

test('the demo prints the URL of its console first, then a one-time log-in link', async () => {
  const send: typeof fetch = (url) =>
    Promise.resolve(url === 'http://127.0.0.1:8080/' ? new Response('<html>') : Response.json(link, { status: 201 }));
  const line = await describeConsole(installation, createPaint(false), { send });
  expect(line).toBe(
    '  console  http://127.0.0.1:8080/\n  log in   http://127.0.0.1:8080/log-in#link=abc (logs in once, within ten minutes)\n',
  );
});

test('the demo prints that no console was built if the API does not serve one', async () => {
  const send = () => Promise.resolve(new Response(null, { status: 302 }));
  const line = await describeConsole(installation, createPaint(false), { send, approverLink: 'http://x/#link=a' });
  expect(line).toBe('  no console was built; the API is at http://127.0.0.1:8080\n');
});

test('the demo prints a separate log-in link for a second person, the approver', async () => {
  const send: typeof fetch = (url) =>
    Promise.resolve(url === 'http://127.0.0.1:8080/' ? new Response('<html>') : Response.json(link, { status: 201 }));
  const line = await describeConsole(installation, createPaint(false), { send, approverLink: 'http://x/#link=a' });
  expect(line.split('\n').at(-2)).toBe('  approver http://x/#link=a');
});
