/** $1 list. Its users and rejects go with it. */
export const deleteAudience = `
  with a as (
    delete from audiences where id = $1 returning id
  ), p as (
    delete from audience_parts where audience in (select id from a)
  ), j as (
    delete from audience_rejects where audience in (select id from a)
  )
  select from a`;
