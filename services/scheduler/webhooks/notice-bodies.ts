import type { Notice, NoticeFormat } from '../../../shared/contracts/webhooks/webhooks.ts';

/** Runs of a digest that a message for a channel lists; the others are only counted. */
const maxLines = 20;

export function noticeBody(format: NoticeFormat, notice: Notice): string {
  return JSON.stringify(bodies[format](notice));
}

const bodies: Readonly<Record<NoticeFormat, (notice: Notice) => unknown>> = {
  standard: (notice) => notice,
  slack: slackMessage,
  teams: teamsMessage,
};

/** Formats a message for Slack, whose incoming webhooks read `<`, `>` and `&` as markup, also of mentions. */
function slackMessage({ data }: Notice) {
  const link = pageOf(data);
  const open = link === undefined ? '' : ` <${escapedForSlack(link)}|Open in Muster>`;
  const lines = linesOf(data).map((line) => `\n• ${escapedForSlack(line)}`);
  const text = `${escapedForSlack(data.text)}${open}${lines.join('')}`;
  return { text, unfurl_links: false, unfurl_media: false };
}

function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Formats an Adaptive Card for Teams, in text runs, which are not read as Markdown. */
function teamsMessage({ data }: Notice) {
  const link = pageOf(data);
  const block = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [data.text, ...linesOf(data)].map(block),
    actions: link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open in Muster', url: link }],
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

/** Returns the link if it has a host. A channel cannot resolve a path. */
function pageOf({ link }: Notice['data']): string | undefined {
  return URL.canParse(link) ? link : undefined;
}

function linesOf({ digest }: Notice['data']): string[] {
  if (digest === null) return [];
  const exact = (value: number) => value.toLocaleString('en-US');
  const shown = digest.first.slice(0, maxLines).map(({ campaign, figures: { audience, throughTheChain, failed } }) => {
    return `${campaign.name}: ${exact(throughTheChain)} of ${exact(audience)} users, ${exact(failed)} failed`;
  });
  return digest.runs > shown.length ? [...shown, `and ${exact(digest.runs - shown.length)} more`] : shown;
}
