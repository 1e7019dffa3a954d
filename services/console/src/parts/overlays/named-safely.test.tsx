// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { endedRun } from '../../../testing/runs/ended-run.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { report } from '../../../testing/runs/ended-report.ts';
import { draft } from '../../../testing/campaigns/campaigns.ts';
import { progress } from '../../../testing/runs/live-run.ts';

const turned = 'Payday\u202Eexe';
const [named, displayed] = [{ campaignName: turned }, /Payday·exe/];

test.each([
  [
    'the start of a campaign',
    '/campaigns/cmp_draft',
    'GET /v1/campaigns/cmp_draft',
    { ...draft, name: turned },
    'Start…',
  ],
  ['a pause', '/runs/run_live', 'GET /v1/runs/:id/progress', { ...progress, ...named }, /^Pause/],
  ['a shared report', '/runs/run_ended/report', 'GET /v1/runs/run_ended/report', { ...report, ...named }, 'Share…'],
])('the dialog of %s replaces a direction mark in a name by a dot', async (_, path, route, answer, button) => {
  const { user } = await openConsole(path, { answers: { [route]: answer } });
  await user.click(await screen.findByRole('button', { name: button }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toMatch(displayed);
  expect(document.body.textContent).not.toContain('\u202E');
});

test('the page of a user replaces a direction mark in a name by a dot', async () => {
  await openConsole('/runs/run_ended/users/id-000000069', {
    answers: { 'GET /v1/runs/run_ended': { ...endedRun, ...named } },
  });
  expect((await screen.findAllByText(displayed)).length).toBeGreaterThan(0);
  expect(document.body.textContent).not.toContain('\u202E');
});
