import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listGroupsOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteGroup, putGroup } from '#client/sdk.gen.ts';
import type { Group } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { RefusedWhole } from '../../parts/forms/refused-whole.tsx';

interface GroupForm {
  name: string;
  region: string;
  fallback: string;
  tags: string;
  countries: string;
  /** It was there before: its name stays. */
  isOld: boolean;
}

const emptyForm: GroupForm = { name: '', region: '', fallback: '60', tags: '', countries: '', isOld: false };

/** The markets that schedules fire for: where each is at home, and how schedules find it. */
export function GroupsDialog({ onClose }: { onClose: () => void }) {
  const groups = useQuery(listGroupsOptions());
  const refusal = useRefusal('operator');
  const [form, setForm] = useState<GroupForm>();
  return (
    <Dialog
      title="Groups"
      isWide
      lead="Markets that a schedule fires for: one fire for each, in the region where it is at home."
      onClose={onClose}
      actions={
        <>
          {form === undefined && (
            <Button icon="plus" refusal={refusal} onClick={() => setForm(emptyForm)}>
              New group
            </Button>
          )}
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {form ? (
        <GroupFields form={form} onForm={setForm} />
      ) : (
        <ListView
          what="The groups"
          query={groups}
          items={groups.data?.items}
          empty={<p className="t3 sm">There is no group yet: schedules fire once, for all regions.</p>}
        >
          <GroupTable groups={groups.data?.items} refusal={refusal} onChange={(group) => setForm(formOf(group))} />
        </ListView>
      )}
    </Dialog>
  );
}

interface GroupTableProps {
  /** Undefined while they are read. */
  groups: readonly Group[] | undefined;
  refusal: string | undefined;
  onChange: (group: Group) => void;
}

function GroupTable({ groups, refusal, onChange }: GroupTableProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (name: string) => deleteGroup({ path: { name }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const columns: readonly Column<Group>[] = [
    { header: 'Group', look: 'font-medium', cell: ({ name }) => name },
    {
      header: 'At home in',
      cell: ({ homeRegion, fallbackSeconds }) => (
        <>
          {homeRegion ?? 'any region'}
          {homeRegion !== null && <div className="t3 sm">others after {formatDuration(fallbackSeconds * 1000)}</div>}
        </>
      ),
    },
    { header: 'Tags', hideBelow: 'phone', look: 't2', cell: ({ tags }) => tags.join(', ') || '–' },
    { header: 'Countries', hideBelow: 'phone', look: 't2', cell: ({ countries }) => countries.join(', ') || '–' },
    actionsColumn((group) => (
      <>
        <Button small refusal={refusal} label={`Change ${group.name}`} onClick={() => onChange(group)}>
          Change…
        </Button>
        <Button
          small
          kind="bad"
          refusal={refusal}
          label={`Delete ${group.name}`}
          disabled={remove.isPending}
          title="Schedules that name it go on without it"
          onClick={() => remove.mutate(group.name)}
        >
          Delete
        </Button>
      </>
    )),
  ];
  return (
    <>
      <DataTable caption="Groups, by name" columns={columns} rows={groups} keyOf={({ name }) => name} />
      {remove.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(remove.error).detail}
        </p>
      )}
    </>
  );
}

function formOf({ name, homeRegion, fallbackSeconds, tags, countries }: Group): GroupForm {
  return {
    ...{ name, region: homeRegion ?? '', fallback: String(fallbackSeconds) },
    ...{ tags: tags.join(', '), countries: countries.join(', '), isOld: true },
  };
}

function GroupFields({ form, onForm }: { form: GroupForm; onForm: (form: GroupForm | undefined) => void }) {
  const queries = useQueryClient();
  const put = useMutation({
    mutationFn: () => {
      const { name, region, fallback, tags, countries } = form;
      const seconds = typedNumber(fallback);
      const body = {
        homeRegion: region.trim() === '' ? null : region.trim(),
        ...(typeof seconds === 'number' && { fallbackSeconds: seconds }),
        tags: listOf(tags),
        countries: listOf(countries),
      };
      return putGroup({ path: { name: name.trim() }, body, throwOnError: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onForm(undefined);
    },
  });
  const problems = useRefusedFields(put.error);
  const change = (part: Partial<GroupForm>) => onForm({ ...form, ...part });
  return (
    <FormProblemsContext value={problems}>
      <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
        <FormField pointer="/name" label="Name" hint="Such as SG" required>
          {(control) => (
            <TextInput
              {...control}
              value={form.name}
              disabled={form.isOld}
              data-autofocus
              onText={(name) => change({ name })}
            />
          )}
        </FormField>
        <FormField pointer="/homeRegion" label="At home in" hint="Its nodes fire at once; empty: those of any region">
          {(control) => <TextInput {...control} value={form.region} onText={(region) => change({ region })} />}
        </FormField>
        <FormField pointer="/fallbackSeconds" label="Others fire after" hint="Where its home does not">
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
        <FormField pointer="/tags" label="Tags" hint="Schedules may name these instead, such as rides, food">
          {(control) => <TextInput {...control} value={form.tags} onText={(tags) => change({ tags })} />}
        </FormField>
        <FormField pointer="/countries" label="Countries" hint="Of a campaign that starts for it, such as SG, MY">
          {(control) => (
            <TextInput {...control} value={form.countries} onText={(text) => change({ countries: text })} />
          )}
        </FormField>
      </div>
      <RefusedWhole error={put.error} />
      <div className="row">
        <Button small onClick={() => onForm(undefined)}>
          Back
        </Button>
        <Button small kind="ink" disabled={put.isPending || form.name.trim() === ''} onClick={() => put.mutate()}>
          Save the group
        </Button>
      </div>
    </FormProblemsContext>
  );
}

function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== '');
}
