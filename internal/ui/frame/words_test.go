package frame

import "testing"

// TestLinesEndBehindWhatPartsAName breaks long names where they have parts, and nothing else; what is written is escaped.
func TestLinesEndBehindWhatPartsAName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ann@example.com":              `<span class="wordy">ann@<wbr>example.<wbr>com</span>`,
		"run:errored":                  `<span class="wordy">run:<wbr>errored</span>`,
		"belay_last_backup_timestamp":  `<span class="wordy">belay_<wbr>last_<wbr>backup_<wbr>timestamp</span>`,
		"mail.averyverylongdomain.com": "mail.<wbr>averyverylongdomain.<wbr>com", "x.averyverylongone": "x.averyverylongone",
		"verification": "verification", "1.12.3": "1.12.3", "12:30": "12:30", "<i>:x": "&lt;i&gt;:x", "a long text. With words.": "a long text. With words.",
		`<b>"a&b.com'</b><script>x.y</script>`: "&lt;b&gt;&#34;a&amp;b.com&#39;&lt;/b&gt;&lt;script&gt;x.y&lt;/script&gt;",
	} {
		if got := string(soft(text)); got != want {
			t.Errorf("%q is %s, not %s", text, got, want)
		}
	}
}
