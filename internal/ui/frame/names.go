package frame

import "github.com/belayhq/belay"

// Names is what users are called, by id.
func (v *Visit) Names(ids ...string) (map[string]string, error) {
	var known []string
	for _, id := range ids {
		if id != "" {
			known = append(known, id)
		}
	}
	users, err := v.UI.App.UsersSeen(v.Context(), belay.Principal{Kind: belay.UserPrincipal}, known)
	names := make(map[string]string, len(users))
	for _, u := range users {
		names[u.ID] = u.Username
	}
	return names, err
}
