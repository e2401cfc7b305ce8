    # Options and values stand between words, and behind them.
    $paths = @(
        PATHS
    )
    $command = 'PROGRAM'
    $option = ''
    for ($i = 1; $i -lt $commandElements.Count; $i++) {
        $word = $commandElements[$i].Extent.Text
        if ($i -eq $commandElements.Count - 1 -and $word -eq $wordToComplete) {
            break
        }
        $option = $word
        if ($paths -ccontains "$command;$word") {
            $command = "$command;$word"
        }
    }

    # The choices of an option in front of the word, or in it.
    $before = ''
    if ($wordToComplete -match '^(--[^=]+)=') {
        $option = $Matches[1]
        $before = "$option="
    }
    $choices = @(switch -CaseSensitive ("$command $option") {
        CHOICES
    })
    if ($choices.Count -gt 0) {
        return $choices.Where{ "$before$_" -like "$wordToComplete*" } | ForEach-Object {
            [CompletionResult]::new("$before$_", $_, [CompletionResultType]::ParameterValue, $_)
        }
    }

