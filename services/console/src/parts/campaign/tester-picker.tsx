import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listAudienceUsersOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedUser } from '#client/types.gen.ts';
import { useTesterLists } from '../audience/use-sources.ts';
import { Select } from '../controls/controls.tsx';
import { FormField } from '../forms/form-field.tsx';

interface TesterPickerProps {
  /** Users of other countries are not offered. */
  countries: readonly string[];
  onPick: (user: ListedUser) => void;
}

/** Picks a user from a list of testers. Shows nothing if there is no such list. */
export function TesterPicker({ countries, onPick }: TesterPickerProps) {
  const lists = useTesterLists();
  const [list, setList] = useState('');
  const [picked, setPicked] = useState('');
  const users = useQuery({
    ...listAudienceUsersOptions({ path: { id: list }, query: { limit: 200 } }),
    enabled: list !== '',
  });
  if (lists.length === 0) return null;
  const offered = (users.data?.items ?? []).filter(({ country }) => countries.includes(country));
  const choose = (value: string) => {
    setPicked(value);
    const user = offered[Number(value)];
    if (user) onPick(user);
  };
  return (
    <div className="grid grid-cols-2 gap-3.5 phone:grid-cols-1">
      <FormField pointer="/testers" label="List of testers">
        {(control) => (
          <Select
            {...control}
            value={list}
            choices={[{ value: '', label: 'None' }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
            onChoose={(id) => {
              setList(id);
              setPicked('');
            }}
          />
        )}
      </FormField>
      {list !== '' && (
        <FormField pointer="/tester" label="Tester">
          {(control) => (
            <Select
              {...control}
              value={picked}
              placeholder={offered.length === 0 && users.isSuccess ? 'No user in these countries' : 'Choose a user…'}
              choices={offered.map(({ user, country }, index) => ({
                value: String(index),
                label: `${user} (${country})`,
              }))}
              onChoose={choose}
            />
          )}
        </FormField>
      )}
    </div>
  );
}
