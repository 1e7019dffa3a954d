import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  emailBody,
  type DigestLine,
  type NotificationMessage,
} from '../../../shared/contracts/notifications/messages.ts';
import { messageBody } from './message-bodies.ts';

const none = { cause: null, campaign: null, run: null, figures: null, approval: null, budget: null, key: null };
const link = 'https://muster.test/runs/run_1?tab=a&of=b';

function messageWith(data: Partial<NotificationMessage['data']>): NotificationMessage {
  const usual = { ...none, text: 'A run of "Payday" started', link, digest: null };
  return { type: 'run.started', timestamp: '2026-12-01T02:00:00.000Z', data: { ...usual, ...data } };
}

function digestOf(runs: number, displayed: number): NotificationMessage['data']['digest'] {
  const line = (n: number): DigestLine => ({
    campaign: { id: `cmp_${n}`, name: `Payday <${n}>` },
    run: { id: `run_${n}`, scheduledFor: '2026-12-01T02:00:00.000Z' },
    figures: { audience: 1200, succeeded: 1199, failed: 1 },
  });
  return { runs, first: Array.from({ length: displayed }, (_, n) => line(n)) };
}

const slack = (data: Partial<NotificationMessage['data']>) => {
  const body: unknown = JSON.parse(messageBody('slack', messageWith(data)));
  return z
    .strictObject({ text: z.string(), unfurl_links: z.literal(false), unfurl_media: z.literal(false) })
    .parse(body).text;
};

const card = z.object({
  type: z.literal('message'),
  attachments: z.tuple([
    z.object({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      content: z.object({
        type: z.literal('AdaptiveCard'),
        body: z.array(
          z.object({ type: z.literal('RichTextBlock'), inlines: z.tuple([z.object({ text: z.string() })]) }),
        ),
        actions: z.array(z.object({ type: z.literal('Action.OpenUrl'), url: z.url() })),
      }),
    }),
  ]),
});

const teams = (data: Partial<NotificationMessage['data']>) => {
  const { content } = card.parse(JSON.parse(messageBody('teams', messageWith(data)))).attachments[0];
  return { texts: content.body.map(({ inlines }) => inlines[0].text), urls: content.actions.map(({ url }) => url) };
};

const email = (data: Partial<NotificationMessage['data']>) =>
  emailBody.parse(JSON.parse(messageBody('email', messageWith(data))));

describe('the body of a notification', () => {
  it('is the message itself for a webhook', () => {
    const message = messageWith({});
    expect(JSON.parse(messageBody('webhook', message))).toEqual(message);
  });

  it('is a sentence with a link for Slack', () => {
    expect(slack({})).toBe('A run of "Payday" started <https://muster.test/runs/run_1?tab=a&amp;of=b|Open in Muster>');
  });

  it("cannot mention users or contain links in Slack that come from a campaign's name", () => {
    expect(slack({ text: 'A run of "<!channel> & <https://evil.test|click>" started', link: '/runs/run_1' })).toBe(
      'A run of "&lt;!channel&gt; &amp; &lt;https://evil.test|click&gt;" started',
    );
  });

  it('is a card with a button for Teams, whose text is not read as Markdown', () => {
    expect(teams({ text: 'A run of "[click](https://evil.test)" started' })).toEqual({
      texts: ['A run of "[click](https://evil.test)" started'],
      urls: [link],
    });
  });

  it('has no link if the public address of the console is not configured', () => {
    expect(slack({ link: '/runs/run_1' })).not.toContain('Open in Muster');
    expect(teams({ link: '/runs/run_1' }).urls).toEqual([]);
  });

  it('lists the first 20 runs of a digest and the number of further runs', () => {
    const digest = digestOf(1024, 100);
    const inSlack = slack({ digest }).split('\n• ');
    expect(inSlack[1]).toBe('Payday &lt;0&gt;: 1,199 of 1,200 users, 1 failed');
    expect([inSlack.length, inSlack.at(-1)]).toEqual([22, 'and 1,004 more']);
    const { texts } = teams({ digest });
    expect([texts.length, texts[1], texts.at(-1)]).toEqual([
      22,
      'Payday <0>: 1,199 of 1,200 users, 1 failed',
      'and 1,004 more',
    ]);
    expect(slack({ digest: digestOf(2, 2) })).not.toContain('more');
  });

  const campaign = { id: 'cmp_1', name: 'Payday', owner: null, tags: [], countries: ['SG'] };
  const run = { id: 'run_1', state: 'paused', scheduledFor: '2026-12-01T01:00:00.000Z', startedAt: null };

  it('describes the campaign in an e-mail, and omits the owner and the countries if there are none', () => {
    expect(email({ campaign, run })).toEqual({
      subject: '[Muster] A run of "Payday" started',
      text: [
        'A run of "Payday" started',
        '',
        'Campaign: Payday',
        'Countries: SG',
        'Planned for: 2026-12-01T01:00:00.000Z',
        '',
        link,
        '',
        'run.started, 2026-12-01T02:00:00.000Z',
        '',
      ].join('\n'),
      thread: 'run_1',
      type: 'run.started',
    });
    const owned = email({ campaign: { ...campaign, owner: 'growth', countries: [] }, run }).text.split('\n');
    expect(owned).toContain('Owner: growth');
    expect(owned).not.toContain('Countries: ');
  });

  it('has an e-mail thread for each run, or for the campaign if there is no run', () => {
    expect(email({ campaign, run }).thread).toBe('run_1');
    expect(email({ campaign }).thread).toBe('cmp_1');
    expect(email({}).thread).toBeNull();
  });

  it('lists, in an e-mail, all runs that a digest contains, with their times', () => {
    const lines = email({ digest: digestOf(1024, 100) }).text.split('\n');
    expect(lines[2]).toBe('Payday <0>, planned for 2026-12-01T02:00:00.000Z: 1,199 of 1,200 users, 1 failed');
    expect(lines).toContain('and 924 more');
    expect(lines.filter((line) => line.startsWith('Payday'))).toHaveLength(100);
  });
});
