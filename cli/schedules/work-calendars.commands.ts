import { z } from 'zod';
import {
  deleteWorkCalendar,
  getWorkCalendar,
  listWorkCalendars,
  putWorkCalendar,
} from '../../sdk/generated/sdk.gen.ts';
import type { WorkCalendar, WorkCalendarDefinitionInput, WorkCalendarSummary } from '../../sdk/generated/types.gen.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { fieldsFile, readFields } from '../frame/given.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';

const list = command({
  name: 'list',
  description: 'list work calendars by name',
  ask: ({ client }) => listWorkCalendars({ client }),
  render: tableOf<WorkCalendarSummary>('', [
    left('name', ({ name }) => name),
    cut('every week', ({ weekDaysOff }) => weekDaysOff.join(', ')),
    right('dates', ({ datesOff }) => datesOff),
    right('schedules', ({ schedules }) => schedules),
  ]),
});

const show = command({
  name: 'show',
  args: ['<name>'],
  description: 'show a work calendar with all its dates',
  ask: ({ client, args: [name] }) => getWorkCalendar({ client, path: { name } }),
  render: (calendar: WorkCalendar, view: View) => {
    const { name, revision, weekDaysOff, dates, schedules } = calendar;
    return renderFacts(
      { name, facts: [`revision ${revision}`, `${schedules} schedules go by it`] },
      [
        ['every week', weekDaysOff.join(', ')],
        ...dates.map(({ date, name: called = '' }) => ['off', `${date} ${oneLine(called)}`.trim()] as const),
      ],
      view,
    );
  },
});

const put = command({
  name: 'put',
  args: ['<name>', '[field=value...]'],
  description:
    'create or replace a work calendar: weekDaysOff=\'["SAT","SUN"]\' dates=\'[{"date":"2026-12-25","name":"Christmas Day"}]\'',
  options: fieldsFile,
  ask: async ({ client, args: [name, words], options: { file }, context: { input } }) => {
    const body = await readFields({ words, file, input }, z.custom<WorkCalendarDefinitionInput>());
    return putWorkCalendar({ client, path: { name }, body });
  },
  refused: 'not put',
  render: ({ name, revision }) => `${name} revision ${revision}\n`,
});

const remove = command({
  name: 'delete',
  args: ['<name>'],
  description: 'delete a work calendar that no schedule uses',
  ask: ({ client, args: [name] }) => deleteWorkCalendar({ client, path: { name } }),
  refused: 'not deleted',
  hint: (_, { args: [name] }) => `${name} is deleted`,
});

export const heading: Heading = 'Callbacks';

export const commands = group('work-calendars', 'days off for schedules', [list, show, put, remove]);
