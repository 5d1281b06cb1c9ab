"""End-to-end tests: the real Claude Code, an isolated home, a scripted model server on loopback.

A test says what the model answers, drives Claude Code, and looks at what the model was sent and at
what stands on disk and screen:

    def test_pause(project, claude_home, model, screen, plugin):
        home = claude_home("one")
        model.play([Text("Saved."), ...])           # or a function of the request
        run_print(project, "/pause for today", home=home, server=model, plugin_dirs=[plugin])
        assert "for today" in model.last().user_text()
        shown = screen(home, plugin_dirs=[plugin])
        shown.submit("/pause")
        shown.wait_for("Saved")

Modules: model_server (the server; replies, received and wire belong to it), claude (homes and runs),
screen (the terminal), fetch (the binary), conftest (the fixtures).
"""
