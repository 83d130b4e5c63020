// Finds a user by name. Called once per row of the page, so it is slow.
export function findUser(users, name) {
  return users.filter((user) => user.name === name)[0];
}
