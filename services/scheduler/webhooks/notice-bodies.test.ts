import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { DigestLine, Notice } from '../../../shared/contracts/webhooks/webhooks.ts';
import { noticeBody } from './notice-bodies.ts';

const none = { cause: null, campaign: null, run: null, figures: null, approval: null, budget: null, key: null };
const link = 'https://muster.test/runs/run_1?tab=a&of=b';

function noticeWith(data: Partial<Notice['data']>): Notice {
  const usual = { ...none, text: 'A run of "Payday" started', link, digest: null };
  return { type: 'run.started', timestamp: '2026-12-01T02:00:00.000Z', data: { ...usual, ...data } };
}

function digestOf(runs: number, shown: number): Notice['data']['digest'] {
  const line = (n: number): DigestLine => ({
    campaign: { id: `cmp_${n}`, name: `Payday <${n}>` },
    run: { id: `run_${n}`, scheduledFor: '2026-12-01T02:00:00.000Z' },
    figures: { audience: 1200, throughTheChain: 1199, failed: 1 },
  });
  return { runs, first: Array.from({ length: shown }, (_, n) => line(n)) };
}

const slack = (data: Partial<Notice['data']>) => {
  const body: unknown = JSON.parse(noticeBody('slack', noticeWith(data)));
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

const teams = (data: Partial<Notice['data']>) => {
  const { content } = card.parse(JSON.parse(noticeBody('teams', noticeWith(data)))).attachments[0];
  return { texts: content.body.map(({ inlines }) => inlines[0].text), urls: content.actions.map(({ url }) => url) };
};

describe('the body of a notice', () => {
  it('is the notice itself in the standard format', () => {
    const notice = noticeWith({});
    expect(JSON.parse(noticeBody('standard', notice))).toEqual(notice);
  });

  it('is a sentence with a link for Slack', () => {
    expect(slack({})).toBe('A run of "Payday" started <https://muster.test/runs/run_1?tab=a&amp;of=b|Open in Muster>');
  });

  it("cannot mention users or add links in Slack through a campaign's name", () => {
    expect(slack({ text: 'A run of "<!channel> & <https://evil.test|click>" started', link: '/runs/run_1' })).toBe(
      'A run of "&lt;!channel&gt; &amp; &lt;https://evil.test|click&gt;" started',
    );
  });

  it('is a card with a button for Teams, with text that is not read as Markdown', () => {
    expect(teams({ text: 'A run of "[click](https://evil.test)" started' })).toEqual({
      texts: ['A run of "[click](https://evil.test)" started'],
      urls: [link],
    });
  });

  it('has no link if the public address of the console is not configured', () => {
    expect(slack({ link: '/runs/run_1' })).not.toContain('Open in Muster');
    expect(teams({ link: '/runs/run_1' }).urls).toEqual([]);
  });

  it('lists the first 20 runs of a digest and the number of the others', () => {
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
});
