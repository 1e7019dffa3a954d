import { describe, expect, it } from 'vitest';
import { messageOf } from './event-message.ts';

const hourMs = 3_600_000;
const at = new Date('2026-12-01T02:00:00Z');
const uuid = '018f0000-0000-7000-8000-000000000001';

function textFor(hours: number, owner: string | null = null): string | undefined {
  const expiresAt = new Date(at.getTime() + hours * hourMs).toISOString();
  const of = { campaign: null, run: null, figures: null, recurs: false, keyAccount: null };
  const detail = { key: { id: uuid, name: 'nightly', owner, expiresAt } };
  return messageOf({ eventId: uuid, kind: 'key.ending', at, notificationId: null, detail, ...of }, '')?.data.text;
}

describe('the notification about an expiring key', () => {
  it.each([
    [1, '1 day'],
    [24, '1 day'],
    [25, '2 days'],
    [13.5 * 24, '14 days'],
  ])('describes %d hours as "%s"', (hours, days) => {
    expect(textFor(hours)).toBe(`The key "nightly" ends in ${days}`);
  });

  it('contains the owner of the key', () => {
    expect(textFor(24, 'growth')).toBe('The key "nightly" of "growth" ends in 1 day');
  });
});

describe('the notification about a paused run', () => {
  const campaign = {
    campaignId: uuid,
    name: 'award-reward in December',
    owner: null,
    tags: [],
    countries: ['SG'],
    actionTypes: ['award-reward', 'send-message'],
    titles: { 'award-reward': 'Give a reward' },
  };
  const run = { runId: uuid, state: 'paused', scheduledFor: at, startedAt: at };
  const cause = 'award-reward in SG: HTTP 503, then send-message in SG: HTTP 429';
  const event = { eventId: uuid, kind: 'run.paused', at, notificationId: null, detail: { cause }, campaign, run };
  const data = messageOf({ ...event, figures: null, recurs: false, keyAccount: null }, '')?.data;

  it("contains titles of action types in its sentence, and the campaign's name unchanged", () => {
    expect(data?.text).toBe(
      'A run of "award-reward in December" is paused: “Give a reward” in SG: HTTP 503, then “Send message” in SG: HTTP 429',
    );
  });

  it('contains the names of action types in its `cause` field', () => {
    expect(data?.cause).toBe(cause);
  });
});
