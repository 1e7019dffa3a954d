import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listGroupsOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteGroup, putGroup } from '#client/sdk.gen.ts';
import type { Group } from '#client/types.gen.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { NamedForm, NamedListDialog } from './named-list.tsx';

interface GroupForm {
  name: string;
  region: string;
  fallback: string;
  tags: string;
  countries: string;
  /** True for an existing group, whose name cannot change. */
  isExisting: boolean;
}

const emptyForm: GroupForm = { name: '', region: '', fallback: '60', tags: '', countries: '', isExisting: false };

/** Form for the groups of schedules: the home region of each, and its tags. */
export function GroupsDialog({ onClose }: { onClose: () => void }) {
  const groups = useQuery(listGroupsOptions());
  const [form, setForm] = useState<GroupForm>();
  return (
    <NamedListDialog
      title="Groups"
      lead="Markets of a schedule, which fires once for each, in the home region of the market."
      what="The groups"
      query={groups}
      items={groups.data?.items}
      empty="No groups yet: schedules fire once for all regions."
      columns={columns}
      newLabel="New group"
      onNew={() => setForm(emptyForm)}
      onChange={(group) => setForm(formOf(group))}
      remove={(name) => deleteGroup({ path: { name }, throwOnError: true })}
      removeHint="Schedules that use it continue without it"
      onClose={onClose}
    >
      {form && <GroupFields form={form} onForm={setForm} />}
    </NamedListDialog>
  );
}

const columns: readonly Column<Group>[] = [
  { header: 'Group', look: 'font-medium', cell: ({ name }) => name },
  {
    header: 'Home region',
    cell: ({ homeRegion, fallbackSeconds }) => (
      <>
        {homeRegion ?? 'any region'}
        {homeRegion !== null && (
          <div className="t3 sm">other regions after {formatDuration(fallbackSeconds * 1000)}</div>
        )}
      </>
    ),
  },
  { header: 'Tags', hideBelow: 'phone', look: 't2', cell: ({ tags }) => tags.join(', ') || '–' },
  { header: 'Countries', hideBelow: 'phone', look: 't2', cell: ({ countries }) => countries.join(', ') || '–' },
];

function formOf({ name, homeRegion, fallbackSeconds, tags, countries }: Group): GroupForm {
  return {
    name,
    region: homeRegion ?? '',
    fallback: String(fallbackSeconds),
    tags: tags.join(', '),
    countries: countries.join(', '),
    isExisting: true,
  };
}

function GroupFields({ form, onForm }: { form: GroupForm; onForm: (form: GroupForm | undefined) => void }) {
  const save = () => {
    const { name, region, fallback, tags, countries } = form;
    const seconds = typedNumber(fallback);
    const body = {
      homeRegion: region.trim() === '' ? null : region.trim(),
      ...(typeof seconds === 'number' && { fallbackSeconds: seconds }),
      tags: parseList(tags),
      countries: parseList(countries),
    };
    return putGroup({ path: { name: name.trim() }, body, throwOnError: true });
  };
  const change = (part: Partial<GroupForm>) => onForm({ ...form, ...part });
  return (
    <NamedForm verb="Save the group" isIncomplete={form.name.trim() === ''} save={save} onEnd={() => onForm(undefined)}>
      <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
        <FormField pointer="/name" label="Name" hint="Such as SG" required>
          {(control) => (
            <TextInput
              {...control}
              value={form.name}
              disabled={form.isExisting}
              data-autofocus
              onText={(name) => change({ name })}
            />
          )}
        </FormField>
        <FormField pointer="/homeRegion" label="Home region" hint="Its nodes fire immediately; empty: any region">
          {(control) => <TextInput {...control} value={form.region} onText={(region) => change({ region })} />}
        </FormField>
        <FormField pointer="/fallbackSeconds" label="Other regions fire after" hint="If the home region does not">
          {(control) => (
            <TextInput
              {...control}
              inputMode="numeric"
              unit="seconds"
              value={form.fallback}
              onText={(fallback) => change({ fallback })}
            />
          )}
        </FormField>
        <FormField pointer="/tags" label="Tags" hint="Schedules can select groups by tag, such as rides, food">
          {(control) => <TextInput {...control} value={form.tags} onText={(tags) => change({ tags })} />}
        </FormField>
        <FormField
          pointer="/countries"
          label="Countries"
          hint="Countries of campaigns that start for the group, such as SG, MY"
        >
          {(control) => (
            <TextInput {...control} value={form.countries} onText={(text) => change({ countries: text })} />
          )}
        </FormField>
      </div>
    </NamedForm>
  );
}

function parseList(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== '');
}
