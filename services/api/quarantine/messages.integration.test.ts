import { describe, expect, it } from 'vitest';
import { maxCountedItems, quarantineCounts } from '../../../shared/contracts/quarantine/items.ts';
import {
  quarantinedMessage,
  quarantinedMessageDetail,
  quarantinedMessageGroup,
} from '../../../shared/contracts/quarantine/messages.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { createDeadLetters } from '../../../shared/postgres/registry/dead-letters.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const SG = 'muster.award-reward.SG';

function send(method: 'GET' | 'POST', url: string, payload?: object) {
  return on.api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });
}

async function keep(topic = SG, reason = 'not JSON', value: Buffer | null = Buffer.from('no JSON')): Promise<string> {
  const offset = (await on.rowsOf('dead_letters')).length;
  const message = { lane: { topic, partition: 3, assignment: 1 }, offset, key: null, value };
  await createDeadLetters({ pool: on.pool }).add([{ message, reason }]);
  const { items } = await on.deps.quarantinedMessages.list({}, 1, null);
  return publicId('deadLetter', items[0]?.messageId ?? '');
}

const show = async (id: string) =>
  quarantinedMessageDetail.parse((await send('GET', `/v1/quarantine/messages/${id}`)).json());

describe('quarantined messages over the API', () => {
  it('are listed in pages and by filter, and counted by topic and reason', async () => {
    const first = await keep();
    const second = await keep(SG, 'no such step');
    const page = pageShape(quarantinedMessage).parse((await send('GET', '/v1/quarantine/messages?limit=1')).json());
    expect(page.items).toMatchObject([{ id: second, topic: SG, partition: 3, state: 'kept', reason: 'no such step' }]);
    const rest: unknown = (await send('GET', `/v1/quarantine/messages?limit=1&cursor=${page.next ?? ''}`)).json();
    expect(pageShape(quarantinedMessage).parse(rest)).toMatchObject({ items: [{ id: first }], next: null });
    const filtered: unknown = (await send('GET', '/v1/quarantine/messages?reason=not%20JSON&state=kept')).json();
    expect(
      pageShape(quarantinedMessage)
        .parse(filtered)
        .items.map(({ id }) => id),
    ).toEqual([first]);
    const groups = pageShape(quarantinedMessageGroup).parse(
      (await send('GET', '/v1/quarantine/messages/groups')).json(),
    );
    expect(groups.items.map(({ reason, items }) => [reason, items])).toEqual([
      ['no such step', 1],
      ['not JSON', 1],
    ]);
    expect((await send('GET', '/v1/quarantine/messages?state=lost')).statusCode).toBe(422);
  });

  it('show their bytes as text if it is safe to display, otherwise in base64, up to a limit', async () => {
    expect((await show(await keep())).value).toEqual({ encoding: 'text', content: 'no JSON' });
    const binary = Buffer.from([0xff, 0xfe, 0]);
    const detail = await show(await keep(SG, 'garbage', binary));
    expect(detail.value).toEqual({ encoding: 'base64', content: binary.toString('base64') });
    expect((await show(await keep(SG, 'steers', Buffer.from('\u001b[2J')))).value?.encoding).toBe('base64');
    expect((await show(await keep(SG, 'empty', null))).value).toBeNull();
    const long = await show(await keep(SG, 'long', Buffer.alloc(100_000, 'x')));
    expect([long.value?.content.length, long.cut, long.bytes]).toEqual([65_536, true, 100_000]);
  });

  it('can be replayed or discarded once, and a later decision is refused with the state', async () => {
    const id = await keep();
    const replay = () => send('POST', `/v1/quarantine/messages/${id}/replay`);
    expect((await replay()).json()).toEqual({ kind: 'message', id, state: 'replaying' });
    expect((await replay()).json()).toMatchObject({ id, state: 'replaying' });
    const refused = await send('POST', `/v1/quarantine/messages/${id}/discard`);
    expect([refused.statusCode, problem.parse(refused.json()).detail]).toEqual([
      409,
      `${id} is replaying and cannot be discarded`,
    ]);
    const other = await keep();
    expect((await send('POST', `/v1/quarantine/messages/${other}/discard`)).json()).toMatchObject({
      state: 'discarded',
    });
    expect((await send('POST', `/v1/quarantine/messages/${other}/replay`)).statusCode).toBe(409);
  });

  it('can be replayed and discarded by filter if no decision was made', async () => {
    await send('POST', `/v1/quarantine/messages/${await keep()}/discard`);
    await keep();
    await keep(SG, 'no such step');
    const replayed = await send('POST', '/v1/quarantine/messages/replay', { reason: 'not JSON' });
    expect([replayed.statusCode, replayed.json()]).toEqual([200, { items: 1, expired: 0 }]);
    const discarded = await send('POST', '/v1/quarantine/messages/discard', { all: true });
    expect(discarded.json()).toEqual({ items: 1, expired: 0 });
    expect((await send('POST', '/v1/quarantine/messages/discard', {})).statusCode).toBe(422);
    expect((await send('POST', '/v1/quarantine/messages/discard', { state: 'kept' })).statusCode).toBe(422);
  });

  it('have each decision in the audit log', async () => {
    const id = await keep();
    await send('POST', `/v1/quarantine/messages/${id}/replay`);
    await send('POST', '/v1/quarantine/messages/discard', { topic: SG });
    const { items } = await on.deps.audit.list({}, 10, null);
    expect(items.reverse().map(({ route, subject, detail }) => ({ route, subject, detail }))).toEqual([
      {
        route: '/v1/quarantine/messages/:id/replay',
        subject: id,
        detail: { topic: SG, reason: 'not JSON', state: 'replaying' },
      },
      { route: '/v1/quarantine/messages/discard', subject: null, detail: { topic: SG, items: 0, expired: 0 } },
    ]);
  });

  it('are not found if their id is unknown', async () => {
    const unknown = publicId('deadLetter', '01890a5d-ac96-774b-bcce-b302099a8057');
    expect((await send('GET', `/v1/quarantine/messages/${unknown}`)).statusCode).toBe(404);
    expect((await send('POST', `/v1/quarantine/messages/${unknown}/replay`)).statusCode).toBe(404);
    expect((await send('POST', '/v1/quarantine/messages/nonsense/discard')).statusCode).toBe(404);
  });
});

describe('the counts of quarantined items', () => {
  const counts = async () => quarantineCounts.parse((await send('GET', '/v1/quarantine/counts')).json());

  it('exclude items about which a person has decided', async () => {
    const id = await keep();
    await keep();
    expect(await counts()).toEqual({ message: 2, step: 0, job: 0 });
    expect((await send('POST', `/v1/quarantine/messages/${id}/discard`)).statusCode).toBe(200);
    expect(await counts()).toEqual({ message: 1, step: 0, job: 0 });
  });

  it('stop at a limit, whatever the number of items', async () => {
    const { rows } = await on.pool.query<{ id: string }>(
      `insert into clients (id, name, definition) values (uuidv7(), 'shop', '{}') returning id`,
    );
    await on.pool.query(
      `insert into dead_jobs (id, client, cause, job) select uuidv7(), $1, 'status 500', '{}'
       from generate_series(1, $2::int)`,
      [rows[0]?.id, maxCountedItems + 1],
    );
    expect(await counts()).toEqual({ message: 0, step: 0, job: maxCountedItems });
  });
});
