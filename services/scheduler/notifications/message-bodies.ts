import type { DigestLine, EmailBody, NotificationMessage } from '../../../shared/contracts/notifications/messages.ts';
import type { NotificationKind } from '../../../shared/contracts/notifications/notifications.ts';

type DigestContent = NonNullable<NotificationMessage['data']['digest']>;

/** Maximum number of runs of a digest that a chat message lists; further runs are only counted. */
const maxChannelLines = 20;

/** Returns the body of the callback job that sends a message through a notification of this kind. */
export function messageBody(kind: NotificationKind, message: NotificationMessage): string {
  return JSON.stringify(bodies[kind](message));
}

const bodies: Readonly<Record<NotificationKind, (message: NotificationMessage) => unknown>> = {
  webhook: (message) => message,
  slack: slackBody,
  teams: teamsBody,
  email: emailBodyOf,
};

/**
 * Formats a message for Slack. Its incoming webhooks treat `<`, `>` and `&` as markup, for example as mentions of
 * users, so these characters are escaped.
 */
function slackBody({ data }: NotificationMessage) {
  const link = pageOf(data);
  const open = link === undefined ? '' : ` <${escapedForSlack(link)}|Open in Muster>`;
  const lines = channelLinesOf(data).map((line) => `\n• ${escapedForSlack(line)}`);
  const text = `${escapedForSlack(data.text)}${open}${lines.join('')}`;
  return { text, unfurl_links: false, unfurl_media: false };
}

function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Formats a message as an Adaptive Card for Teams. The text is in text runs, which Teams does not read as Markdown. */
function teamsBody({ data }: NotificationMessage) {
  const link = pageOf(data);
  const block = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [data.text, ...channelLinesOf(data)].map(block),
    actions: link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open in Muster', url: link }],
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

function emailBodyOf({ type, timestamp, data }: NotificationMessage): EmailBody {
  const details = data.digest === null ? detailsOf(data) : digestLinesOf(data.digest, Infinity, titleWithTime);
  const paragraphs = [[data.text], details, [data.link], [`${type}, ${timestamp}`]];
  const lines = paragraphs.filter((paragraph) => paragraph.length > 0).map((paragraph) => paragraph.join('\n'));
  return {
    subject: `[Muster] ${data.text}`,
    text: `${lines.join('\n\n')}\n`,
    thread: data.run?.id ?? data.campaign?.id ?? null,
    type,
  };
}

function titleWithTime({ campaign, run }: DigestLine): string {
  return `${campaign.name}, planned for ${run.scheduledFor}`;
}

/** Returns lines that describe the campaign, such as `Campaign: Payday`. */
function detailsOf({ campaign, run, approval }: NotificationMessage['data']): string[] {
  const lines = [
    ['Campaign', campaign?.name],
    ['Owner', campaign?.owner],
    ['Countries', campaign?.countries.join(', ')],
    ['Planned for', run?.scheduledFor],
    ['Approvals needed', approval?.requiredApprovers],
  ];
  return lines.filter(([, value]) => value).map((line) => line.join(': '));
}

/** Returns the link if it is a complete URL. A chat client cannot resolve a path without a host. */
function pageOf({ link }: NotificationMessage['data']): string | undefined {
  return URL.canParse(link) ? link : undefined;
}

function channelLinesOf({ digest }: NotificationMessage['data']): string[] {
  return digest === null ? [] : digestLinesOf(digest, maxChannelLines, ({ campaign }) => campaign.name);
}

/** Returns a line for each of the first `maxLines` runs of a digest, and a last line with the number of the others. */
function digestLinesOf(digest: DigestContent, maxLines: number, titleOf: (line: DigestLine) => string): string[] {
  const exact = (value: number) => value.toLocaleString('en-US');
  const lines = digest.first.slice(0, maxLines).map((line) => {
    const { audience, succeeded, failed } = line.figures;
    return `${titleOf(line)}: ${exact(succeeded)} of ${exact(audience)} users, ${exact(failed)} failed`;
  });
  return digest.runs > lines.length ? [...lines, `and ${exact(digest.runs - lines.length)} more`] : lines;
}
