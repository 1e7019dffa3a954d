// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';
import { system } from '../../testing/system.ts';

test('what runs, on what, and how near each bound is', async () => {
  await openConsole('/system');
  expect(await screen.findByText('nothing to mend')).toBeDefined();
  expect(screen.getByText('18.4 · 318 GB')).toBeDefined();
  expect(screen.getByText('20261122000000_schema, made by 0.1.0')).toBeDefined();
  const bounds = await screen.findByRole('table', { name: 'Bounds' });
  expect(await within(bounds).findByRole('row', { name: 'Streams 1,950 of 2,000' })).toBeDefined();
});

test('secrets are shown by their length alone, and what is not set when it is asked for', async () => {
  const { user, address } = await openConsole('/system');
  const table = await screen.findByRole('table', { name: 'Configuration' });
  expect(within(table).getByRole('row', { name: /KAFKA_SASL_PASSWORD set, 32 characters/ })).toBeDefined();
  expect(within(table).queryByText('MUSTER_ZONE')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'All 4' }));
  expect(await within(table).findByRole('row', { name: /MUSTER_ZONE as usual/ })).toBeDefined();
  await waitFor(() => expect(address()).toBe('/system?show=all'));
});

test('processes stand by service with their regions, the odd one out named', async () => {
  const odd = { ...{ service: 'worker', version: '0.0.9', region: 'west', processes: 1, names: ['worker@w10'] } };
  const processes = [...system.processes, { ...odd, oldestAt: system.api.startedAt }];
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, processes } } });
  expect(await screen.findByText('worker@w10 runs 0.0.9, the other 23 0.1.0.')).toBeDefined();
  const table = screen.getByRole('table', { name: 'Processes' });
  expect(within(table).getByRole('row', { name: 'worker 22 0.1.0 1 of 22 is 0.0.9 east 8 · west 14' })).toBeDefined();
});

test('clocks and zone data are those of all processes, and the one that is off is named', async () => {
  const off = [{ name: 'worker@w9', service: 'worker', region: 'west', aheadMs: -4000, withinMs: 3 }];
  const runtimes = [...system.runtimes, { zoneData: '2025b', node: '22.22.0', processes: 1, names: ['scheduler@old'] }];
  const clocks = { known: 24, apartMs: 4010, offCount: 1, off };
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, runtimes, clocks } } });
  expect(await screen.findByText('The clock of worker@w9 is 4,000 ms behind the database’s.')).toBeDefined();
  expect(screen.getByText('scheduler@old goes by zone data 2025b, the other 23 by 2026c.')).toBeDefined();
  expect(screen.getByText('1 process is off, at most 4,010 ms apart')).toBeDefined();
  expect(screen.getByText('2026c in 23, 2025b in 1')).toBeDefined();
  expect(screen.getByText('2 things to mend')).toBeDefined();
});

test('where all is well, it says so of all of them', async () => {
  await openConsole('/system');
  expect(await screen.findByText('at most 4 ms apart')).toBeDefined();
  expect(screen.getByText('2026c in all 23 processes')).toBeDefined();
});

test('until when tables are made is said, and what is archived of the log', async () => {
  await openConsole('/system');
  expect(await screen.findByText(/^the log is archived, last/)).toBeDefined();
  const until = screen.getByText('Next partitions').nextElementSibling;
  expect(until?.textContent).toMatch(/^runs until .+, jobs until /);
  const { runsUntil, jobsUntil } = system.partitions;
  expect([...(until?.querySelectorAll('time') ?? [])].map(({ dateTime }) => dateTime)).toEqual([runsUntil, jobsUntil]);
});

test('a log that is not archived although it should be comes first', async () => {
  const logArchive = { ...system.logArchive, state: 'failing', lastFailed: '00000001000000000000000A' };
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, logArchive } } });
  expect(await screen.findByText('The database’s log is not archived since 00000001000000000000000A:')).toBeDefined();
  expect(screen.getByText('1 thing to mend')).toBeDefined();
});

test('a setting that differs between services is told with what to do', async () => {
  const settings = [...system.settings, { name: 'QUOTA_OPEN_RUNS', service: 'scheduler', value: '9' }];
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, settings } } });
  expect(await screen.findByText('QUOTA_OPEN_RUNS differs:')).toBeDefined();
  expect(screen.getByText('1 thing to mend')).toBeDefined();
});

test('a key that is not an operator’s sees no configuration', async () => {
  await openConsole('/system', { role: 'viewer', answers: { 'GET /v1/system': { ...system, configuration: null } } });
  expect(await screen.findByText(/Shown to operators of the whole installation/)).toBeDefined();
});

test('what could not be read says why', async () => {
  await openConsole('/system', { answers: { 'GET /v1/system': () => problem(400, 'invalid-request', 'no') } });
  expect(await screen.findByText('The system could not be read')).toBeDefined();
});

test('who is taken is said, and an issuer that does not answer is to be mended', async () => {
  const access = { mode: 'both', issuer: 'https://sso.example/realms/main', isIssuerAnswering: false };
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, access } } });
  expect(await screen.findByText('by keys, and tokens of sso.example')).toBeDefined();
  expect(screen.getByText('The issuer does not answer:')).toBeDefined();
});
