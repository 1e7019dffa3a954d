import type { Mutation } from './mutation.ts';

export const inboxMutations: readonly Mutation[] = [
  {
    takesAway: 'inbox: the HTML of a mail runs no script',
    edits: [{ text: "\"sandbox; default-src 'none';", replacement: "\"default-src 'none';" }],
    project: 'unit',
    noticedBy: ['inbox.test'],
  },
  {
    takesAway: 'inbox: the frame of a mail is a sandbox',
    edits: [{ text: 'title="HTML of the mail" sandbox ', replacement: 'title="HTML of the mail" ' }],
    project: 'unit',
    noticedBy: ['inbox.test'],
  },
  {
    takesAway: 'inbox: subjects are escaped',
    edits: [{ text: "escapeHtml(subject || '(no subject)')", replacement: "(subject || '(no subject)')" }],
    project: 'unit',
    noticedBy: ['inbox.test'],
  },
  {
    takesAway: 'inbox: a mail is accepted only after it was kept',
    edits: [
      {
        text: '.then((message) => keep({ from, to, message }))',
        replacement: '.then((message) => void keep({ from, to, message }).catch(() => undefined))',
      },
    ],
    project: 'unit',
    noticedBy: ['mail-sink.test'],
  },
  {
    takesAway: 'demo: the mails in the inbox have to be the accepted ones',
    edits: [{ text: "    ['accepted = mails in the inbox', accepted, inbox.mails],\n", replacement: '' }],
    project: 'unit',
    noticedBy: ['check-balance.test'],
  },
  {
    takesAway: 'demo: the credits of the shop have to be the succeeded users',
    edits: [{ text: "    ['succeeded = credits of points', credited, shop.credits],\n", replacement: '' }],
    project: 'unit',
    noticedBy: ['check-balance.test'],
  },
];
