// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { system } from '../../../testing/installation/system.ts';

test('the page shows versions, dependencies and quotas', async () => {
  await openConsole('/system');
  expect(await screen.findByText('no problems')).toBeDefined();
  expect(screen.getByText('18.4 · 318 GB')).toBeDefined();
  expect(screen.getByText('20261122000000_schema, created by 0.1.0')).toBeDefined();
  const quotas = await screen.findByRole('table', { name: 'Quotas' });
  expect(await within(quotas).findByRole('row', { name: 'Streams 1,950 of 2,000' })).toBeDefined();
});

test('secrets are shown only by length, and unset variables on request', async () => {
  const { user, address } = await openConsole('/system');
  const table = await screen.findByRole('table', { name: 'Configuration' });
  expect(within(table).getByRole('row', { name: /KAFKA_SASL_PASSWORD set, 32 characters/ })).toBeDefined();
  expect(within(table).queryByText('MUSTER_ZONE')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'All 4' }));
  expect(await within(table).findByRole('row', { name: /MUSTER_ZONE default/ })).toBeDefined();
  await waitFor(() => expect(address()).toBe('/system?show=all'));
});

test('processes are listed by service and region, and a deviating version is a problem', async () => {
  const odd = { service: 'worker', version: '0.0.9', region: 'west', processes: 1, names: ['worker@w10'] };
  const processes = [...system.processes, { ...odd, oldestAt: system.api.startedAt }];
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, processes } } });
  expect(await screen.findByText('worker@w10 runs 0.0.9, the other 23 0.1.0.')).toBeDefined();
  const table = screen.getByRole('table', { name: 'Processes' });
  expect(within(table).getByRole('row', { name: 'worker 22 0.1.0 1 of 22 is 0.0.9 east 8 · west 14' })).toBeDefined();
});

test('deviating clocks and zone data are problems with the names of the processes', async () => {
  const off = [{ name: 'worker@w9', service: 'worker', region: 'west', aheadMs: -4000, withinMs: 3 }];
  const runtimes = [...system.runtimes, { zoneData: '2025b', node: '22.22.0', processes: 1, names: ['scheduler@old'] }];
  const clocks = { known: 24, apartMs: 4010, offCount: 1, off };
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, runtimes, clocks } } });
  expect(await screen.findByText('The clock of worker@w9 is 4,000 ms behind the database’s.')).toBeDefined();
  expect(screen.getByText('scheduler@old uses zone data 2025b, the other 23 use 2026c.')).toBeDefined();
  expect(screen.getByText('1 process is off, at most 4,010 ms apart')).toBeDefined();
  expect(screen.getByText('2026c in 23, 2025b in 1')).toBeDefined();
  expect(screen.getByText('2 problems')).toBeDefined();
});

test('equal clocks and zone data are summarized for all processes', async () => {
  await openConsole('/system');
  expect(await screen.findByText('at most 4 ms apart')).toBeDefined();
  expect(screen.getByText('2026c in all 23 processes')).toBeDefined();
});

test('the page shows the last date of the partitions and the state of the WAL archive', async () => {
  await openConsole('/system');
  expect(await screen.findByText(/^the log is archived, last/)).toBeDefined();
  const until = screen.getByText('Next partitions').nextElementSibling;
  expect(until?.textContent).toMatch(/^runs until .+, jobs until /);
  const { runsUntil, jobsUntil } = system.partitions;
  expect([...(until?.querySelectorAll('time') ?? [])].map(({ dateTime }) => dateTime)).toEqual([runsUntil, jobsUntil]);
});

test('a WAL archive that fails is a problem', async () => {
  const logArchive = { ...system.logArchive, state: 'failing', lastFailed: '00000001000000000000000A' };
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, logArchive } } });
  expect(await screen.findByText('The write-ahead log is not archived since 00000001000000000000000A:')).toBeDefined();
  expect(screen.getByText('1 problem')).toBeDefined();
});

test('a setting that differs between services is a problem', async () => {
  const settings = [...system.settings, { name: 'QUOTA_OPEN_RUNS', service: 'scheduler', value: '9' }];
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, settings } } });
  expect(await screen.findByText('QUOTA_OPEN_RUNS differs:')).toBeDefined();
  expect(screen.getByText('1 problem')).toBeDefined();
});

test('a viewer does not see the configuration', async () => {
  await openConsole('/system', { role: 'viewer', answers: { 'GET /v1/system': { ...system, configuration: null } } });
  expect(await screen.findByText(/Shown to operators of the whole installation/)).toBeDefined();
});

test('a failed request of the system is shown', async () => {
  await openConsole('/system', { answers: { 'GET /v1/system': () => problem(400, 'invalid-request', 'no') } });
  expect(await screen.findByText('The system could not be read')).toBeDefined();
});

test('the page shows the mode of access, and an issuer that does not answer is a problem', async () => {
  const access = { mode: 'both', issuer: 'https://sso.example/realms/main', isIssuerAnswering: false };
  await openConsole('/system', { answers: { 'GET /v1/system': { ...system, access } } });
  expect(await screen.findByText('by keys, and tokens of sso.example')).toBeDefined();
  expect(screen.getByText('The issuer does not answer:')).toBeDefined();
});
